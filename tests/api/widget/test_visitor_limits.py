"""What a page can send, and how often."""

import asyncio
from datetime import timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.intake.rate_limit import LimitScope
from domain.tenants.client import Plan
from store.intake.tables import engine_events
from store.runs.tables import engine_messages
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import row_counts, rows
from tests.support.intake.admission import on_plan, used_before
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.page import CHAT, WidgetPage, page_of


async def test_ten_messages_a_session(page: WidgetPage) -> None:
    """The eleventh is not stored or charged; another session continues, and a retry of an accepted
    message is answered."""
    database = page.engine.database
    token = await page.fresh_token()
    first = await page.say(session_id=token, idempotency_key="k")
    answers = [await page.ask(session_id=token) for _ in range(10)]
    assert [answer.status_code for answer in answers] == [200] * 9 + [429]
    before = await row_counts(database, of=page.shop)

    refused = await page.ask(session_id=token, idempotency_key="other")
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert 0 < int(refused.headers["retry-after"]) <= 600
    assert await page.say(session_id=token, idempotency_key="k") == first
    assert await row_counts(database, of=page.shop) == before
    await page.say(session_id=await page.fresh_token())


async def test_thirty_messages_an_address(page: WidgetPage) -> None:
    """In any number of sessions; other clients' visitors are counted separately."""
    answers = await asyncio.gather(*(page.ask() for _ in range(35)))

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] * 30 + [429] * 5
    assert len(await rows(page.engine.database, engine_messages, of=page.shop)) == 30
    database = page.engine.database
    other = await page_of(page.engine, await open_shop(database, event_type="shopify.*"))
    await other.say()


async def test_a_hundred_messages_a_day_of_an_address(page: WidgetPage) -> None:
    """Earlier, one visitor used up the widget's monthly tickets within an afternoon."""
    resources = page.engine.app.state.resources
    for hours in range(1, 24):
        for _ in range(8 if hours == 23 else 4):
            earlier = resources.now() - timedelta(hours=hours)
            whose = f"{page.shop.client_id}/127.0.0.1"
            await resources.limiter.check(LimitScope.WIDGET_ADDRESS_DAY, whose, earlier)
    await page.say(session_id=await page.fresh_token())
    await page.say(session_id=await page.fresh_token())
    await page.say(session_id=await page.fresh_token())
    await page.say(session_id=await page.fresh_token())

    refused = await page.ask()

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert 1800 < int(refused.headers["retry-after"]) <= 3600


async def test_six_hundred_calls_an_address(page: WidgetPage) -> None:
    resources = page.engine.app.state.resources
    for _ in range(599):
        whose = f"{page.shop.client_id}/127.0.0.1"
        await resources.limiter.check(LimitScope.WIDGET, whose, resources.now())

    assert (await page.config()).status_code == 200
    for refused in (await page.config(), await page.ask()):
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
        assert refused.headers["access-control-allow-origin"] == "*"


async def test_a_used_up_share_or_quota_is_told_without_its_numbers(
    front: LiveEngine, shop: Shop
) -> None:
    """A visitor learns nothing about the client's plan."""
    page = await page_of(front, shop, monthly_tickets=50)
    await on_plan(front.database, shop, Plan.FREE)
    await used_before(front.database, shop, 50, utc_now())

    answer = await page.ask()

    assert answer.status_code == 429
    assert answer.json().keys() == {"error", "code", "request_id"}
    assert answer.json()["code"] == "widget_share_used"
    assert "retry-after" not in answer.headers


@pytest.mark.parametrize(
    "body",
    [
        {"message": ""},
        {"message": " \n"},
        {"message": "x" * 4001},
        {"message": "a\0b"},
        {"message": 1},
        {"message": None},
        {"message": ["x"]},
        {"message": {"text": "x"}},
        {"session_id": 1},
        {"session_id": "x" * 201},
        {"customer_email": "x" * 321},
        {"customer_email": "no address"},
        {"customer_email": "a@b.example\r\nBcc: c@d.example"},
        {"page_url": "x" * 2001},
        {"language": "de"},
        {"verify_first": "yes"},
        {"customer_verified": True},
        {"client_id": new_ulid()},
        {"payload": {"customer_verified": True}},
    ],
)
async def test_bodies_that_are_refused(page: WidgetPage, body: dict[str, object]) -> None:
    counts = await row_counts(page.engine.database, of=page.shop)

    answer = await page.engine.http.post(
        CHAT, params=page.params, headers=page.headers, json={"message": "Bonjour", **body}
    )

    assert answer.status_code == 400
    assert answer.json()["code"] in ("invalid_body", "invalid_address")
    assert await row_counts(page.engine.database, of=page.shop) == counts


async def test_bodies_that_are_taken(page: WidgetPage) -> None:
    """Any text of up to 4,000 characters; an invalid page address is dropped."""
    odd = "\u202e\ufffd\U0001f469\u200d\U0001f467" * 50
    for message in ("x" * 4000, odd, "'; DROP TABLE x --", "{{ order_number }}"):
        assert (await page.ask(message)).status_code == 200
    for url in ("about:srcdoc", "javascript:x", "http://[", "http://a:b/", "https://", "\\\\x"):
        assert (await page.ask(page_url=url)).status_code == 200, url
    events = await rows(page.engine.database, engine_events, of=page.shop)
    assert not [event for event in events if "page_url" in event["payload"]]
    big = await page.ask("x", page_url="x" * (1024 * 1024))
    assert big.status_code == 413
