"""Error pages: a signed-in user still sees the menu and can navigate back."""

import pytest

from adapters.system import new_ulid
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine, database_away
from tests.support.dashboard.visitors import at_pages
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

MENU = 'href="/app/inbox"'


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_an_error_has_the_menu(front: LiveEngine, shop: Shop, language: str) -> None:
    """For an unknown URL, a missing record, another client's record, and a forbidden action."""
    other = await open_shop(front.database, brand="Autre")
    theirs = (await write(front.database, other)).run_id
    async with at_pages(front, shop, Role.VIEWER, language=language) as viewer:
        for path, status in (
            ("/app/nowhere", 404),
            (f"/app/runs/{new_ulid()}", 404),
            (f"/app/runs/{theirs}", 404),
            ("/app/replays/new", 403),
            ("/app/runs?status=none", 400),
        ):
            answer = await viewer.http.get(path)
            assert answer.status_code == status, path
            assert answer.text.count("<h1>") == 1
            assert MENU in answer.text, path
            assert f'<html lang="{language}"' in answer.text
            assert "Autre" not in answer.text
            assert "no-store" in answer.headers["cache-control"]
        refused = await viewer.http.put("/app/me")
        assert (refused.status_code, MENU in refused.text) == (405, True)
        assert refused.headers["allow"] == "GET, POST"


async def test_without_a_session_an_error_has_none(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        owner.http.cookies.clear()
        answer = await owner.http.get("/app/nowhere")
        assert (answer.status_code, MENU in answer.text) == (404, False)
        assert 'href="/app"' in answer.text


async def test_an_error_is_shown_without_the_database(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        with database_away(front.app.state.resources.database):
            answer = await owner.http.get("/app/nowhere")
            assert (answer.status_code, MENU in answer.text) == (404, False)
            assert (await owner.http.get("/app/runs")).status_code == 500


@pytest.mark.parametrize(("language", "again"), [("en", "Try again"), ("fr", "Réessayer")])
async def test_an_error_page_offers_another_attempt_and_a_way_back(
    front: LiveEngine, shop: Shop, language: str, again: str
) -> None:
    async with at_pages(front, shop, Role.VIEWER, language=language) as viewer:
        missing = await viewer.http.get("/app/nowhere?a=1&b=2")
        assert f'href="/app/nowhere?a=1&amp;b=2">{again}</a>' in missing.text
        assert 'href="/app">' in missing.text
        doubled = await viewer.http.get("//evil.example/app/x")
        assert 'href="//' not in doubled.text
        forbidden = await viewer.http.get("/app/replays/new")
        assert (forbidden.status_code, again in forbidden.text) == (403, False)
        with database_away(front.app.state.resources.database):
            broken = await viewer.http.get("/app/runs")
            assert broken.status_code == 500
            assert f'href="/app/runs">{again}</a>' in broken.text
