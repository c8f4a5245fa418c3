"""The menu's entry Help: the guide's page about each page of the dashboard."""

import dataclasses
import re
from pathlib import Path

import pytest

from api.dashboard.guide_pages import GUIDE, guide_page
from api.dashboard.navigation import MenuPlace, menu_of, place_of
from api.guide import Guide
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

DOCS = Path(__file__).parents[3] / "docs"
OWNER = Actor.person("01ARZ3NDEKTSV4RRFFQ69G5FAV", Role.OWNER, network=None)
PATHS = [view.path for entry in menu_of(OWNER) for view in entry.views]
MORE = ["/app/reviews/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/app/copilot", "/app/find"]


def headings(file: Path) -> set[str]:
    """Return the anchors of a document's headings, as the guide makes them."""
    found = re.findall(r"^#{1,4} (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]+", "", one.lower()).replace(" ", "-") for one in found}


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("path", [*PATHS, *MORE])
def test_each_page_has_a_page_of_the_guide(path: str, language: str) -> None:
    page = guide_page(place_of(path), path, language)
    file, _, section = page.removeprefix(f"{GUIDE}/").partition("#")
    document = DOCS / file.replace(".html", ".md")
    assert document.is_file(), page
    assert not section or section in headings(document), page


def test_a_review_and_a_metric_have_their_own() -> None:
    assert guide_page(place_of(MORE[0]), MORE[0], "en") == f"{GUIDE}/reviews.html"
    churn = guide_page(MenuPlace("customers", "churn"), "/app/metrics/churn", "fr")
    assert churn == f"{GUIDE}/metrics.html#churn"
    assert guide_page(place_of("/app/widget"), "/app/widget", "fr") == f"{GUIDE}/widget.fr.html"


async def test_the_menu_has_it_if_the_guide_is_built(
    front: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    state = front.app.state
    state.resources = dataclasses.replace(state.resources, guide=Guide(tmp_path))
    link = f'href="{GUIDE}/pages.html#the-inbox"'
    async with at_pages(front, shop, language="fr") as owner:
        assert link not in await owner.see("/app/inbox")
        (tmp_path / "manifest.json").write_text('{"files": [], "scripts": [], "styles": []}')
        page = await owner.see("/app/inbox")
    assert link in page
    assert "Aide" in page.partition(link)[2].partition("</a>")[0]
