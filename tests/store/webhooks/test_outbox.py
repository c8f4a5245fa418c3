"""The outbox: events recorded once, and their receivers."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.billing.subscription import Subscription
from domain.tenants.client import Plan
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.samples import sample
from domain.webhooks.webhook import EVENT_IDS
from store.core.database import Database
from store.privacy.prune import empty_bodies
from store.tenants.accounts import AccountRepository
from store.webhooks.outbox import Outbox
from store.webhooks.subscriptions import WebhookChange, WebhookRepository
from store.webhooks.tables import outbox, webhook_deliveries, webhook_misses
from tests.support.core.rows import only_row, owned, rows
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.told import check_body, told_events
from tests.support.webhooks.webhooks import subscribe

EVENT: OutboundEventId = "ticket.resolved"


async def add(
    database: Database,
    shop: Shop,
    key: str = "key",
    event: OutboundEventId = EVENT,
    run_id: str | None = None,
) -> tuple[str, ...]:
    async with database.tenant(shop.tenant) as connection:
        return await Outbox(connection, shop.tenant).add(
            sample(event), dedup_key=key, now=utc_now(), new_id=new_ulid, run_id=run_id
        )


async def save(database: Database, shop: Shop, subscription: Subscription) -> None:
    async with database.tenant(shop.tenant) as connection:
        await AccountRepository(connection, shop.tenant).save(subscription)


async def pause(database: Database, shop: Shop, webhook_id: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        await WebhookRepository(connection, shop.tenant).change(
            webhook_id, WebhookChange(pause=True), utc_now()
        )


async def test_what_finds_no_room_is_missed(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """6,000 deliveries from one import: a client's webhooks share the limit for waiting
    deliveries."""
    monkeypatch.setattr("domain.webhooks.webhook.MAX_PENDING", 4)
    one, other = [await subscribe(database, shop) for _ in range(2)]
    for key in ("first", "second"):
        assert len(await add(database, shop, key)) == 2
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(webhook_deliveries)
            .where(owned(webhook_deliveries, shop), webhook_deliveries.c.webhook_id == other.id)
            .values(status="success", finished_at=utc_now())
        )

    (sent,) = await add(database, shop, "third")

    (missed,) = await rows(database, webhook_misses, of=shop)
    assert missed["webhook_id"] == one.id
    deliveries = await rows(database, webhook_deliveries, of=shop)
    assert {row["id"]: row["webhook_id"] for row in deliveries}[sent] == other.id


@pytest.mark.parametrize("event", EVENT_IDS)
async def test_a_delivery_holds_the_very_body(
    database: Database, shop: Shop, event: OutboundEventId
) -> None:
    webhook = await subscribe(database, shop, events=(event,))
    (delivery_id,) = await add(database, shop, event=event, run_id="run")

    told = await only_row(database, outbox, of=shop)
    delivery = await only_row(database, webhook_deliveries, of=shop)
    assert delivery["request_body"] == told["body"]
    assert check_body(event, told["body"])["data"] == sample(event).model_dump(mode="json")
    assert (delivery["id"], delivery["webhook_id"]) == (delivery_id, webhook.id)
    assert (delivery["event"], delivery["event_id"]) == (event, told["id"])
    assert (delivery["trigger"], delivery["status"]) == ("event", "pending")
    assert (delivery["run_id"], delivery["attempt"]) == ("run", 0)
    assert delivery["created_at"] == told["created_at"]


async def test_only_subscribers_of_the_event_get_it(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    for owner in (shop, other):
        await subscribe(database, owner, events=("ticket.escalated", "playbook.activated"))
    mine = await subscribe(database, shop, events=("ticket.escalated", EVENT))
    everything = await subscribe(database, shop)

    deliveries = await add(database, shop)

    found = await rows(database, webhook_deliveries, of=shop)
    assert {one["id"] for one in found} == set(deliveries)
    assert {one["webhook_id"] for one in found} == {mine.id, everything.id}
    assert await rows(database, webhook_deliveries, of=other) == []
    for owner in (shop, other):
        assert await rows(database, webhook_misses, of=owner) == []


@pytest.mark.own_database
async def test_what_was_told_is_never_told_again(database: Database, shop: Shop) -> None:
    """Including a concurrent second caller, and after the body was deleted."""
    await subscribe(database, shop)
    at_once = await asyncio.gather(*(add(database, shop) for _ in range(8)))
    assert sorted(len(deliveries) for deliveries in at_once) == [0] * 7 + [1]

    async with database.service() as connection:
        assert await empty_bodies(connection, utc_now() + timedelta(seconds=1)) == 1
    assert await add(database, shop) == ()
    assert (await only_row(database, outbox, of=shop))["body"] is None
    assert len(await rows(database, webhook_deliveries, of=shop)) == 1

    # Another event, another client: the key belongs to neither.
    assert len(await add(database, shop, event="ticket.escalated")) == 1
    other = await open_shop(database)
    await add(database, other)
    assert len(await told_events(database, client_id=other.client_id)) == 1


async def test_resolutions_at_once_get_different_numbers(database: Database, shop: Shop) -> None:
    """Even if each is added twice, as by a repeated step."""
    await asyncio.gather(*(add(database, shop, f"run-{n % 6}") for n in range(12)))

    resolved = await told_events(database, of=shop)
    assert sorted(one.data["resolution"] for one in resolved) == [1, 2, 3, 4, 5, 6]


async def test_a_ticket_of_another_client_has_numbers_of_its_own(
    database: Database, shop: Shop
) -> None:
    other = await open_shop(database)
    for owner in (shop, other):
        await add(database, owner)
        (resolved,) = await told_events(database, of=owner)
        assert resolved.data["resolution"] == 1


async def test_what_a_disabled_webhook_misses_of_a_ticket_it_gets_once(
    database: Database, shop: Shop
) -> None:
    """A webhook with one event per ticket does not get a second one."""
    once = await subscribe(database, shop, once_per_ticket=True)
    await pause(database, shop, once.id)
    for key in ("first", "second"):
        assert await add(database, shop, key) == ()

    assert len(await rows(database, webhook_misses, of=shop)) == 1


async def test_what_a_disabled_webhook_misses_is_noted(database: Database, shop: Shop) -> None:
    paused = await subscribe(database, shop)
    deaf = await subscribe(database, shop, events=("ticket.escalated",))
    for webhook in (paused, deaf):
        await pause(database, shop, webhook.id)

    assert await add(database, shop) == ()
    assert await add(database, shop) == ()

    miss, told = (
        await only_row(database, webhook_misses, of=shop),
        await only_row(database, outbox, of=shop),
    )
    assert (miss["webhook_id"], miss["event_id"]) == (paused.id, told["id"])
    assert miss["created_at"] == told["created_at"]
    assert await rows(database, webhook_deliveries, of=shop) == []


async def test_below_pro_it_is_told_and_sent_to_nobody(database: Database, shop: Shop) -> None:
    """Webhooks are kept, and continue with the next event after an upgrade."""
    await subscribe(database, shop)
    paused = await subscribe(database, shop)
    await pause(database, shop, paused.id)
    now = utc_now()
    small = (
        Subscription(Plan.FREE),
        Subscription(Plan.STARTER),
        Subscription(Plan.FREE, trial_ends_at=now - timedelta(seconds=1)),
        Subscription(Plan.PRO, next_plan=Plan.FREE, next_plan_from=now - timedelta(seconds=1)),
    )
    large = (
        Subscription(Plan.ENTERPRISE),
        Subscription(Plan.FREE, trial_ends_at=now + timedelta(hours=1)),
        Subscription(Plan.PRO, next_plan=Plan.FREE, next_plan_from=now + timedelta(hours=1)),
    )

    for subscription in small:
        await save(database, shop, subscription)
        assert await add(database, shop, key=new_ulid()) == ()
    assert await rows(database, webhook_misses, of=shop) == []
    for subscription in large:
        await save(database, shop, subscription)
        assert len(await add(database, shop, key=new_ulid())) == 1

    assert len(await rows(database, outbox, of=shop)) == len(small) + len(large)
    assert len(await rows(database, webhook_misses, of=shop, webhook_id=paused.id)) == len(large)


async def test_what_is_rolled_back_was_never_told(database: Database, shop: Shop) -> None:
    await subscribe(database, shop)

    async def break_off() -> None:
        async with database.tenant(shop.tenant) as connection:
            await Outbox(connection, shop.tenant).add(
                sample(EVENT), dedup_key="key", now=utc_now(), new_id=new_ulid
            )
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await break_off()

    async with database.service() as connection:
        for table in (outbox, webhook_deliveries):
            assert (
                await connection.scalar(sa.select(sa.func.count()).where(owned(table, shop))) == 0
            )
    assert len(await add(database, shop)) == 1
