"""The menu: one entry for each page, for users who can open it."""

import re
from collections import Counter

import pytest

from api.dashboard.navigation import MenuPlace, menu_of, place_of
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.page_list import route_at, seen_pages
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

# The search and the copilot are on every page, outside the menu; the others are parts of pages.
BESIDE = (
    *("/app/find", "/app/palette", "/app/copilot"),
    *("/app/needs-you", "/app/home/improvement"),
)
ENTRIES = [
    *("home", "inbox", "customers", "insights"),
    *("knowledge", "policy", "testing", "settings"),
]


def _views(role: Role) -> list[str]:
    actor = Actor.person("01ARZ3NDEKTSV4RRFFQ69G5FAV", role, network=None)
    return [view.href for entry in menu_of(actor) for view in entry.views]


@pytest.mark.parametrize("role", Role)
def test_everybody_has_the_same_entries(role: Role) -> None:
    actor = Actor.person("01ARZ3NDEKTSV4RRFFQ69G5FAV", role, network=None)

    assert [entry.name for entry in menu_of(actor)] == ENTRIES


@pytest.mark.parametrize("role", Role)
def test_the_menu_shows_a_role_what_it_may_open(role: Role) -> None:
    views = _views(role)

    assert max(Counter(views).values()) == 1
    for path in views:
        route = route_at(path.partition("?")[0])
        assert route is not None, path
        assert role in (route.roles or ()), path
    hidden = {*_views(Role.OWNER)} - {*views}
    for path in hidden:
        route = route_at(path.partition("?")[0])
        assert route is not None, path
        assert role not in (route.roles or ()), f"{path} is hidden without need"


def test_each_page_has_its_place() -> None:
    pages = [one.path for one in seen_pages()]

    lost = [path for path in pages if place_of(path) == MenuPlace()]
    assert sorted(lost) == sorted(BESIDE)
    shown = {place_of(path).view for path in pages}
    owner = Actor.person("01ARZ3NDEKTSV4RRFFQ69G5FAV", Role.OWNER, network=None)
    views = [view for entry in menu_of(owner) for view in entry.views]
    names = [view.name for view in views]
    assert {view.name for view in views if not view.query} == shown - {""}
    assert max(Counter(names).values()) == 1


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/app", MenuPlace("home", "overview")),
        ("/app/inbox", MenuPlace("inbox", "needs")),
        ("/app/reviews/1", MenuPlace("inbox", "needs")),
        ("/app/conversations/1", MenuPlace("inbox", "needs")),
        ("/app/knowledge/1", MenuPlace("knowledge", "articles")),
        ("/app/knowledge/gaps", MenuPlace("insights", "gaps")),
        ("/app/simulator/runs/1", MenuPlace("testing", "cases")),
        ("/app/metrics.csv", MenuPlace("insights", "metrics")),
        ("/app/customers/1", MenuPlace("customers", "customers")),
        ("/app/metrics/churn", MenuPlace("customers", "churn")),
        ("/app/billing/plan", MenuPlace("settings", "usage")),
        ("/app/reviewsx", MenuPlace()),
    ],
)
def test_the_view_that_names_most_of_a_path_has_the_page(path: str, place: MenuPlace) -> None:
    assert place_of(path) == place


def test_a_view_of_the_inbox_has_its_pages() -> None:
    assert place_of("/app/reviews/1", "mine") == MenuPlace("inbox", "mine")
    assert place_of("/app/knowledge/1", "mine") == MenuPlace("knowledge", "articles")


def test_saved_views_are_in_the_menu() -> None:
    actor = Actor.person("01ARZ3NDEKTSV4RRFFQ69G5FAV", Role.VIEWER, network=None)
    saved = {"01M7YSDHZSS3GSH7RJVZYVYSP5": "Refunds"}
    (added,) = [
        view for entry in menu_of(actor, saved) for view in entry.views if view.name in saved
    ]

    assert (added.label, added.href) == ("Refunds", f"/app/inbox?view={added.name}")


def test_no_two_views_share_a_shortcut() -> None:
    owner = Actor.person("01ARZ3NDEKTSV4RRFFQ69G5FAV", Role.OWNER, network=None)
    keys = [view.key for entry in menu_of(owner) for view in entry.views if view.key]

    assert len({*keys}) == len(keys)
    assert {*keys} == {*"orcmktpseliwu"}


async def test_the_menu_says_where_one_is(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        settings = await viewer.see("/app/usage")
        knowledge = await viewer.see("/app/templates")

    assert '<a href="/app/usage" aria-current="page">' in settings
    aside = settings.partition('<nav class="aside"')[2].partition("</nav>")[0]
    assert 'href="/app/integrations"' in aside
    assert 'href="/app/keys"' not in aside
    assert '<a href="/app/templates" aria-current="page"' in knowledge
    assert 'class="aside"' not in knowledge
    for key in "orck":
        assert f'data-go="{key}"' in knowledge


async def test_the_count_of_what_waits(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        quiet = await owner.see("/app/me")
        await open_review(front.database, shop)
        busy = await owner.see("/app/me")
        polled = await owner.see("/app/needs-you")

    assert "<title>Profile" in quiet
    assert re.search(r'id="needs-you"[^>]* hidden>', quiet)
    assert "<title>(1) Profile" in busy
    assert re.search(r'id="needs-you"[^>]*>1<', polled)
    assert "<html" not in polled
