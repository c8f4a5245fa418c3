"""Take screenshots of every page, light and dark, desktop and phone: `python -m
scripts.screenshots`.

By default, the script creates demo data. `--data .data` uses the data of a running stack. The pages
are rendered by the current code. `--only /app/inbox` limits the screenshots to pages below a
path, and `--language fr` selects French. The files are saved in `.screenshots/`, named after the
page, screen and theme. `--pictures` takes only the pictures of the documents instead, and saves
them in `docs/images/`.
"""

import argparse
import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from adapters.observability.logs import configure_logs
from tests.support.dashboard.chromium import (
    CHROMIUM,
    DESK,
    PHONE,
    Seat,
    Theme,
    chromium,
    seated,
)
from tests.support.dashboard.demo_pages import DemoPages, demo_data, demo_pages

FOLDER: Final = Path(__file__).parents[1] / ".screenshots"
_SCREENS: Final = {"desk": DESK, "phone": PHONE}
_IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in the documents: the first page of `route` with an element that matches the CSS
    selector `having`."""

    name: str
    route: str
    theme: Theme = "light"
    having: str = "main"


PICTURES: Final = (
    Picture("overview", "/app"),
    Picture("inbox", "/app/inbox"),
    Picture("review", "/app/reviews/{review_id}", having="#approve-form"),
    Picture("run", "/app/runs/{run_id}", "dark"),
    Picture("playbook", "/app/playbooks/{playbook_id}"),
    Picture("delivery", "/app/webhooks/{webhook_id}/deliveries/{delivery_id}"),
)


def name_of(route: str) -> str:
    """Return the file name for a page: `reviews-ID` for `/app/reviews/{review_id}`."""
    parts = route.removeprefix("/app").strip("/").split("/")
    return "-".join("ID" if part.startswith("{") else part for part in parts) or "overview"


async def shoot(pages: DemoPages, only: str, language: str, folder: Path) -> None:
    """Take a screenshot of every linked page below `only`. Print the broken pages, and the pages to
    which no page links."""
    crawled = await pages.crawl(language)
    chosen = {
        route: addresses[0]
        for route, addresses in crawled.found.items()
        if addresses[0].startswith(only)
    }
    async with chromium() as browser:
        for screen, size in _SCREENS.items():
            async with seated(
                browser, pages.url, pages.owner, language=language, size=size
            ) as seat:
                await _shoot_all(seat, chosen, folder, screen)
    print(f"{len(chosen)} pages are in {folder}")
    for broken in crawled.broken:
        print(f"broken: {broken}")
    for route in crawled.unseen if only == "/app" else ():
        print(f"no link leads to {route}")


async def take_pictures(pages: DemoPages, folder: Path) -> None:
    """Take the pictures of the documents: in English, in the size of a desktop screen."""
    crawled = await pages.crawl()
    async with chromium() as browser, seated(browser, pages.url, pages.owner) as seat:
        for picture in PICTURES:
            await seat.in_theme(picture.theme)
            for address in crawled.found[picture.route]:
                await seat.open(address)
                if await seat.page.locator(picture.having).count():
                    break
            await seat.page.wait_for_load_state("networkidle")
            await seat.page.screenshot(path=folder / f"{picture.name}.png")


async def _shoot_all(seat: Seat, chosen: dict[str, str], folder: Path, screen: str) -> None:
    for route, address in chosen.items():
        await seat.open(address)
        for theme in get_args(Theme):
            await seat.in_theme(theme)
            file = folder / f"{name_of(route)}.{screen}.{theme}.png"
            await seat.page.screenshot(path=file, full_page=True)
    for complaint in dict.fromkeys(seat.complaints):
        print(f"complaint: {complaint}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Take a screenshot of every page.")
    parser.add_argument("--data", type=Path, help="Data folder of a running stack.")
    parser.add_argument("--only", default="/app", help="Only pages below this path.")
    parser.add_argument("--language", default="en", choices=("en", "fr"))
    parser.add_argument("--into", type=Path, help="Folder for the files.")
    parser.add_argument("--pictures", action="store_true", help="Take the documents' pictures.")
    given = parser.parse_args()
    if CHROMIUM is None:
        parser.error("no chromium on this machine: sh scripts/system_packages.sh")

    configure_logs("WARNING")

    folder = given.into or (_IMAGES if given.pictures else FOLDER)
    folder.mkdir(exist_ok=True)

    async def run(data: Path) -> None:
        async with demo_pages(data) as pages:
            if given.pictures:
                await take_pictures(pages, folder)
            else:
                await shoot(pages, given.only, given.language, folder)

    with tempfile.TemporaryDirectory() as made:
        data = given.data or Path(made) / "data"
        with demo_data(data):
            asyncio.run(run(data))


if __name__ == "__main__":
    main()
