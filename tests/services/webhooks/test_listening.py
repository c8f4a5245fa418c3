"""Following a client's webhook events."""

from datetime import datetime, timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.samples import sample
from services.webhooks import listening as module
from services.webhooks.listening import Listening
from store.core.database import Database
from store.webhooks.outbox import Outbox
from tests.support.tenants.shop import Shop, open_shop


async def _add(
    database: Database, shop: Shop, at: datetime, event: OutboundEventId = "ticket.resolved"
) -> None:
    async with database.tenant(shop.tenant) as connection:
        outbox = Outbox(connection, shop.tenant)
        await outbox.add(sample(event), dedup_key=new_ulid(), now=at, new_id=new_ulid)


async def test_each_new_event_is_read_once_and_no_other(database: Database, shop: Shop) -> None:
    start = utc_now()
    await _add(database, shop, start - timedelta(seconds=1))
    await _add(database, await open_shop(database), start + timedelta(seconds=1))
    following = Listening(database, shop.tenant, events=(), since=start)
    assert await following.new() == ()

    await _add(database, shop, start + timedelta(seconds=2))
    first = await following.new()
    # A transaction that began earlier commits later.
    await _add(database, shop, start + timedelta(seconds=1))
    late = await following.new()

    assert [one.created_at - start for one in (*first, *late)] == [
        timedelta(seconds=2), timedelta(seconds=1),
    ]  # fmt: skip
    assert await following.new() == ()


async def test_only_the_chosen_types_are_read(database: Database, shop: Shop) -> None:
    start = utc_now()
    following = Listening(database, shop.tenant, events=["conversation.created"], since=start)
    for event in ("ticket.resolved", "conversation.created"):
        await _add(database, shop, start, event)

    assert [one.event for one in await following.new()] == ["conversation.created"]


async def test_more_events_than_a_page(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGE", 2)
    start = utc_now()
    following = Listening(database, shop.tenant, events=(), since=start)
    for seconds in range(5):
        await _add(database, shop, start + timedelta(seconds=seconds))

    assert len(await following.new()) == 5
