"""GET /api/widget/messages as JSON, and POST /api/widget/seen."""

import pytest

from adapters.system import new_ulid
from domain.widget.widget_session import SESSION_LASTS
from store.widget.tables import widget_sessions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.page import WidgetPage, page_of
from tests.support.widget.stream import read_messages
from tests.support.widget.talk import VERIFIED, answer, ask, begin

NOTHING = {"thinking": False, "waiting": False, "reviewing": False, "verified_email": None}
SEEN = "/api/widget/seen"


@pytest.fixture
async def page(front: LiveEngine, shop: Shop) -> WidgetPage:
    return await page_of(front, shop)


async def test_what_was_said_and_what_is_under_way(page: WidgetPage) -> None:
    database, shop = page.engine.database, page.shop
    session_id = await begin(database, shop, email=VERIFIED)
    token = page.token(session_id, VERIFIED)
    first = await ask(database, shop, session_id, "Bonjour")
    await answer(database, shop, first, "Oui ?")
    await ask(database, shop, session_id, "Où\nest-elle ?")

    whole = await read_messages(page, token)
    rest = await read_messages(page, token, after=2)
    resumed = await read_messages(page, token, after=1, **{"last-event-id": "2"})
    odd = await read_messages(page, token, after=2, **{"last-event-id": "9" * 30})

    assert whole.status_code == 200
    assert [(one["number"], one["author"], one["text"]) for one in whole.json()["messages"]] == [
        (1, "customer", "Bonjour"),
        (2, "agent", "Oui ?"),
        (3, "customer", "Où\nest-elle ?"),
    ]
    assert whole.json()["state"] == {
        **NOTHING,
        "thinking": True,
        "verified_email": "c…@free.example",
    }
    assert (whole.headers["cache-control"], whole.headers["access-control-allow-origin"]) == (
        "no-store",
        "*",
    )
    assert rest.json()["messages"] == whole.json()["messages"][2:]
    assert resumed.json() == odd.json() == rest.json()


async def test_a_token_without_a_message_is_empty_and_one_of_others_opens_nothing(
    page: WidgetPage,
) -> None:
    database, shop = page.engine.database, page.shop
    session_id = await begin(database, shop)
    await ask(database, shop, session_id, "secret")
    stranger = await page_of(page.engine, await open_shop(database))
    mine, fresh = page.token(session_id), page.token(new_ulid())

    empty = await read_messages(page, fresh)
    assert (empty.status_code, empty.json()) == (200, {"messages": [], "state": NOTHING})
    forged = f"{session_id}.{fresh.partition('.')[2]}"
    for whose, token in [
        (page, forged),
        (page, session_id),
        (page, stranger.token(session_id)),
        (page, ""),
        (stranger, mine),
    ]:
        refused = await read_messages(whose, token)
        assert (refused.status_code, refused.json()["code"]) == (404, "widget_session_unknown")
        seen = await page.engine.http.post(
            SEEN,
            params=whose.params,
            headers=whose.headers,
            json={"session_id": token, "number": 1},
        )
        assert seen.status_code == 404
    assert (await read_messages(page.at("https://evil.example"), mine)).status_code == 403
    assert (await read_messages(page.of("wk_" + "0" * 32), mine)).status_code == 401


async def test_a_session_that_ended_shows_nothing(page: WidgetPage) -> None:
    resources = page.engine.app.state.resources
    old = resources.now() - SESSION_LASTS
    session_id = await begin(page.engine.database, page.shop, now=old)
    await ask(page.engine.database, page.shop, session_id)

    found = await read_messages(page, page.token(session_id))

    assert found.json() == {"messages": [], "state": NOTHING}


@pytest.mark.parametrize(
    "query", [{"after": "-1"}, {"after": "x"}, {"after": str(2**31)}, {"b": "1"}]
)
async def test_a_query_that_is_none(page: WidgetPage, query: dict[str, str]) -> None:
    answer = await page.engine.http.get(
        "/api/widget/messages",
        params={**page.params, **query},
        headers={**page.headers, "x-widget-session": page.token(new_ulid())},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")


async def test_what_was_seen(page: WidgetPage) -> None:
    database, shop = page.engine.database, page.shop
    session_id = await begin(database, shop)
    await ask(database, shop, session_id)

    async def see(**body: object) -> int:
        answer = await page.engine.http.post(
            SEEN,
            params=page.params,
            headers=page.headers,
            json={"session_id": page.token(session_id), "number": 1, **body},
        )
        return answer.status_code

    assert [await see(), await see(number=7), await see(number=0)] == [204, 204, 204]
    assert (await only_row(database, widget_sessions, id=session_id))["seen_number"] == 1
    bad: list[dict[str, object]] = [
        {"number": -1}, {"number": "1"}, {"number": 2**31}, {"more": 1}, {"session_id": "x" * 201},
    ]  # fmt: skip
    assert [await see(**body) for body in bad] == [400] * 5
