"""/api/dashboard/webhooks: changes to a webhook."""

from datetime import timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.webhooks.webhook import EVENT_IDS
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.reviews.dashboard import code, set_clock
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_dashboard import (
    ABOUT_ONE,
    WEBHOOKS,
    all_of,
    ask,
    create,
    end,
    is_started,
    ready,
    signs,
)
from tests.support.webhooks.webhooks import subscribe, tell


async def test_change(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    wanted = {
        "label": "x" * 100,
        "url": "https://hooks.example.com:8443/autre",
        "events": ["playbook.activated"],
        "retry_policy": "standard",
        "once_per_ticket": True,
    }
    before = (await all_of(front, owner))[0]
    for name, value in wanted.items():
        only = {**dict.fromkeys(["label"]), name: value}
        answer = await ask(front, "change", owner, webhook_id.lower(), **only)
        assert (answer.status_code, answer.json()[name]) == (200, value)
    assert (await all_of(front, owner))[0] == {**before, **wanted}


async def test_nothing_to_change(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    before = (await all_of(front, owner))[0]
    url = f"{WEBHOOKS}/{webhook_id}"
    empty = await front.http.patch(url, json={}, headers=owner)
    assert code(empty) == (400, "invalid_body")
    nulls = await front.http.patch(url, json={"label": None, "is_active": None}, headers=owner)
    assert (nulls.status_code, nulls.json()) == (200, before)


async def test_pause_and_enable(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)

    paused = await ask(front, "change", owner, webhook_id, label=None, is_active=False)
    assert paused.json()["is_active"] is False
    assert paused.json()["disabled_reason"] == "manual"
    refused = await ask(front, "change", owner, webhook_id, is_active=True)
    assert code(refused) == (400, "invalid_webhook")
    assert "/enable" in refused.json()["error"]
    assert await tell(front.database, shop) == ()

    answer = await ask(front, "enable", owner, webhook_id)
    assert answer.status_code == 200
    body = answer.json()
    webhook = body["webhook"]
    assert (webhook["is_active"], webhook["failure_count"], webhook["disabled_at"]) == (
        True, 0, None
    )  # fmt: skip
    assert body["missed"] == webhook["missed"] == 1
    test = await only_row(front.database, webhook_deliveries, id=body["test_delivery_id"])
    assert (test["trigger"], test["event"], test["status"]) == (
        "test", "ticket.resolved", "pending"
    )  # fmt: skip
    assert await is_started(front, shop, test["id"])


@pytest.mark.parametrize("hours", [None, 0, 0.5, 168])
async def test_rotate(
    front: LiveEngine, shop: Shop, owner: dict[str, str], hours: float | None
) -> None:
    now = utc_now()
    set_clock(front, now)
    webhook_id = (await create(front, owner)).json()["webhook"]["id"]
    before = await signs(front, shop, webhook_id)

    body = {} if hours is None else {"overlap_hours": hours}
    answer = await ask(front, "rotate", owner, webhook_id, **body)

    assert answer.status_code == 200
    secret = answer.json()["secret"]
    assert secret != before
    assert await signs(front, shop, webhook_id) == secret
    until = now + timedelta(hours=24 if hours is None else hours)
    row = await only_row(front.database, webhook_subscriptions, of=shop)
    assert row["previous_until"] == (None if hours == 0 else until)


async def test_bad_overlaps(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    before = await rows(front.database, webhook_subscriptions, of=shop)
    for hours in (-1, 168.1, "24", True, None):
        answer = await ask(front, "rotate", owner, webhook_id, overlap_hours=hours)
        assert code(answer) == (400, "invalid_body"), hours
    assert await rows(front.database, webhook_subscriptions, of=shop) == before


async def test_test(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """For any event, and for a paused webhook."""
    created = await create(front, owner, events=["conversation.created", "ticket.escalated"])
    webhook_id = created.json()["webhook"]["id"]
    await ask(front, "change", owner, webhook_id, is_active=False)
    for event in (None, *EVENT_IDS):
        body = {"event": event} if event else {}
        answer = await ask(front, "test", owner, webhook_id, **body)

        assert answer.status_code == 202
        delivery_id = answer.json()["delivery_id"]
        row = await only_row(front.database, webhook_deliveries, id=delivery_id)
        assert (row["trigger"], row["event"]) == ("test", event or "ticket.resolved")
        assert f'"event":"{row["event"]}"'.encode() in row["request_body"]
        assert await is_started(front, shop, delivery_id)


async def test_bad_tests(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    bad: tuple[object, ...] = ("*", "ticket.gone", 7, [])
    for event in bad:
        answer = await ask(front, "test", owner, webhook_id, event=event)
        assert code(answer) == (400, "invalid_body")


async def test_temporal_away(database_url: str, shop: Shop) -> None:
    """The delivery is stored; the sweeper sends it."""
    async with live_engine(database_url, "127.0.0.1:1", "default", lazy=True) as front:
        headers = bearer(session_token(front.settings, shop.owner_user_id))
        webhook_id = (await create(front, headers)).json()["webhook"]["id"]
        answer = await ask(front, "test", headers, webhook_id)
        assert answer.status_code == 202
        assert (await only_row(front.database, webhook_deliveries, of=shop))["status"] == "pending"


async def test_delete(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    kept = (await subscribe(front.database, shop)).id
    answer = await ask(front, "delete", owner, webhook_id)
    assert (answer.status_code, answer.content) == (204, b"")
    assert [webhook["id"] for webhook in await all_of(front, owner)] == [kept]
    for what in ABOUT_ONE:
        assert code(await ask(front, what, owner, webhook_id, new_ulid())) == (
            404, "webhook_not_found"
        )  # fmt: skip


async def test_a_secret_is_shown_once(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    created = (await create(front, owner, events="*")).json()
    webhook_id = created["webhook"]["id"]
    (delivery_id,) = await tell(front.database, shop)
    await end(front, shop, delivery_id)
    rotated = (await ask(front, "rotate", owner, webhook_id)).json()
    row = await only_row(front.database, webhook_subscriptions, of=shop)
    hidden = [created["secret"], rotated["secret"], row["secret_sealed"], row["previous_sealed"]]
    assert None not in hidden

    others = set(ABOUT_ONE) - {"rotate", "delete"}
    answers = [
        await front.http.get(WEBHOOKS, headers=owner),
        *[await ask(front, what, owner, webhook_id, delivery_id) for what in others],
    ]

    for answer in answers:
        assert answer.is_success, answer.text
        for secret in hidden:
            assert secret.removeprefix("whsec_") not in answer.text
