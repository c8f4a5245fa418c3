"""`make docs` builds the documentation site, and the API serves it."""

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest
from playwright.async_api import expect

from scripts import guide
from scripts.build_tools import digest
from scripts.guide_pages import places
from tests.support.core.engine import LiveEngine
from tests.support.core.forks import ROOT
from tests.support.widget.pages import CHROMIUM, chromium, listening

pytestmark = pytest.mark.slow

FOREIGN: Final = re.compile(r"^(https?:)?//")
ASSETS: Final = {"script", "img", "source", "iframe", "video", "audio", "embed", "object"}


class Parsed(HTMLParser):
    """The anchors, links and loaded files of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link":
            self.assets.append(given["href"])
        if tag in ASSETS:
            self.assets += [given[name] for name in ("src", "data") if name in given]


class Built:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def pages(self) -> dict[Path, Parsed]:
        return {one: Parsed(one) for one in self.folder.rglob("*.html")}

    def broken(self, page: Path, link: str) -> str | None:
        """Return why an internal link leads nowhere, or None."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file() or not target.is_relative_to(self.folder):
            return f"{page.name}: {link}: no file"
        if parts.fragment and target.suffix == ".html":
            known = self.pages[target].anchors
            return None if unquote(parts.fragment) in known else f"{page.name}: {link}: no anchor"
        return None


@pytest.fixture(scope="module")
def built() -> Built:
    sources = [ROOT / one for one in (*places(), "scripts", "requirements")]
    before = digest(sources)
    site = Built(guide.build())
    assert digest(sources) == before
    ignored = ["git", "check-ignore", "--quiet", str(site.folder)]
    assert subprocess.run(ignored, cwd=ROOT, check=False).returncode == 0
    return site


def test_links_and_anchors_lead_somewhere(built: Built) -> None:
    problems = [
        problem
        for page, parsed in built.pages.items()
        for link in parsed.links + parsed.assets
        if (problem := built.broken(page, link))
    ]

    assert len(built.pages) > 200
    assert problems == []


def test_nothing_is_loaded_from_another_host(built: Built) -> None:
    loaded = [one for parsed in built.pages.values() for one in parsed.assets]
    styles = list(built.folder.rglob("*.css"))
    inside = [url for one in styles for url in re.findall(r"url\(([^)]*)\)", one.read_text())]
    imported = [one.name for one in styles if "@import" in one.read_text()]

    assert loaded
    assert styles
    assert [one for one in loaded + inside if FOREIGN.match(one.strip("\"'"))] == []
    assert imported == []


def test_the_search_index_contains_each_page(built: Built) -> None:
    index = json.loads((built.folder / "search.json").read_text(encoding="utf-8"))

    found = {one["location"].partition("#")[0] for one in index["items"]}
    assert {str(one.relative_to(built.folder)) for one in built.pages} == found


def test_the_markdown_is_beside_each_page(built: Built) -> None:
    beside = {one.with_suffix("") for one in built.folder.rglob("*.md")}

    assert {one.with_suffix("") for one in built.pages} == beside
    broken = [
        f"{file.name}: {target}"
        for file in built.folder.rglob("*.md")
        for target in _markdown_links(file)
        if not (file.parent / target).exists()
    ]
    assert broken == []


def _markdown_links(file: Path) -> Iterator[str]:
    text = re.sub(r"(?ms)^ *```.*?^ *```", "", file.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", target):
            yield target.partition("#")[0]


def test_llms_txt_lists_each_page(built: Built) -> None:
    text = (built.folder / "llms.txt").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[.+?\]\(([^)]+)\)", text, re.MULTILINE)

    assert text.startswith("# Support engine\n\n> ")
    assert len(listed) == len(set(listed))
    pages = {str(one.relative_to(built.folder)) for one in built.folder.rglob("*.md")}
    assert set(listed) == pages


async def test_the_api_serves_each_file(built: Built, front: LiveEngine) -> None:
    files = json.loads((built.folder / "manifest.json").read_text())["files"]
    kinds = {Path(one).suffix: one for one in files}

    for path in kinds.values():
        answer = await front.http.get(f"/docs/guide/{path}")
        assert answer.status_code == 200
        assert answer.content == (built.folder / path).read_bytes()
    assert {".html", ".md", ".txt", ".json", ".css", ".js", ".png"} <= kinds.keys()
    assert "octet-stream" not in (await front.http.get("/docs/guide/")).headers["content-type"]


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
async def test_a_reader_searches_under_the_policy(built: Built, front: LiveEngine) -> None:
    complaints: list[str] = []
    async with listening(front.app) as url, chromium() as browser:
        page = await browser.new_page()
        page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda one: complaints.extend(_foreign(one.url, url)))
        await page.goto(f"{url}/docs/guide/")
        await page.goto(f"{url}/docs/guide/reference/gateway.html")
        await page.keyboard.press("/")
        await expect(page.get_by_role("combobox", name="Search")).to_be_focused()
        await page.keyboard.type("Idempotency")
        found = page.get_by_role("option").filter(has_text="Idempotency")
        await expect(found.first).to_be_visible(timeout=30_000)
    assert complaints == []


def _foreign(requested: str, own: str) -> list[str]:
    return [] if requested.startswith((own, "data:", "blob:")) else [f"requested: {requested}"]
