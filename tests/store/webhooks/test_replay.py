"""Replays: of one delivery and of missed events, each event once."""

import asyncio

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.webhooks.delivery import Trigger
from domain.webhooks.errors import DeliveryPending, TooManyPending, WebhookDisabled
from domain.webhooks.webhook import COUNTED_MISSES
from store.webhooks.replay import DeliveryReplay
from store.webhooks.subscriptions import WebhookChange
from store.webhooks.tables import outbox, webhook_misses
from tests.support.core.rows import owned, rows
from tests.support.webhooks.deliveries import BROKEN, GOT, LONG_AGO, SUCCESS, Hooks
from tests.support.webhooks.webhooks import URL


async def test_a_replay(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    (delivery_id,) = await mine.tell()
    with pytest.raises(DeliveryPending):
        await mine.replay(webhook, delivery_id)
    await mine.send(delivery_id, BROKEN)
    await mine.change(webhook, WebhookChange(url="https://elsewhere.example/"))

    again = await mine.replay(webhook, delivery_id)
    assert [one.id for one in await mine.listed(webhook)] == [again, delivery_id]
    new, old = await mine.record(webhook, again), await mine.record(webhook, delivery_id)
    assert (new.trigger, new.replay_of) == (Trigger.REPLAY, delivery_id)
    assert (new.url, old.url) == ("https://elsewhere.example/", URL)
    assert (new.event_id, new.request_body) == (old.event_id, old.request_body)
    assert await mine.replay_missed(webhook) == (), "it is under way"
    assert await mine.send(again, GOT) == SUCCESS
    assert (await mine.seen(webhook)).missed == 0

    await mine.pause(webhook)
    for refused in (mine.replay(webhook, delivery_id), mine.replay_missed(webhook)):
        with pytest.raises(WebhookDisabled):
            await refused


async def test_what_was_missed_is_replayed_once(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 2)
    await mine.told_and_sent(GOT)
    await mine.pause(webhook)
    await mine.tell()
    since = utc_now()
    for _ in range(3):
        await mine.tell()
    await mine.enable(webhook)

    assert len(await mine.replay_missed(webhook, since=since, limit=1)) == 1
    both = await asyncio.gather(*(mine.replay_missed(webhook, since=since) for _ in (1, 2)))
    assert sorted(map(len, both)) == [0, 2], "two people who press the button at once"
    rest = await mine.replay_missed(webhook)
    assert len(rest) == 3
    started = [one for one in await mine.listed(webhook) if one.trigger is Trigger.REPLAY]
    for one in started:
        await mine.send(one.id, GOT)
    assert len(started) == 6
    sent = [await mine.record(webhook, one.id) for one in started]
    assert (await mine.seen(webhook)).missed == 0
    events = {
        row["id"]: bytes(row["body"]) for row in await rows(mine.database, outbox, of=mine.shop)
    }
    assert all(events[one.event_id] == one.request_body.encode() for one in sent)


async def test_so_many_wait_and_no_more(mine: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    webhook = await mine.subscribe()
    delivery_id = (await mine.tell())[0]
    await mine.send(delivery_id, BROKEN)
    await mine.told_and_sent(BROKEN)
    monkeypatch.setattr("domain.webhooks.webhook.MAX_PENDING", 1)

    assert len(await mine.replay_missed(webhook)) == 1
    assert await mine.replay_missed(webhook) == ()
    with pytest.raises(TooManyPending):
        await mine.replay(webhook, delivery_id)
    async with mine.connection() as connection:
        with pytest.raises(TooManyPending):
            await DeliveryReplay(connection, mine.shop.tenant).test(
                webhook.id, "ticket.resolved", b"{}", new_ulid, utc_now()
            )


async def test_all_of_it_again(mine: Hooks) -> None:
    """A receiver lost its data: it gets the same events again, and no others."""
    webhook = await mine.subscribe()
    await mine.told_and_sent(GOT, 3)
    await mine.told_and_sent(BROKEN)
    (under_way,) = await mine.tell()
    seen = [(await mine.record(webhook, one.id)).event_id for one in await mine.listed(webhook)]
    waiting = (await mine.record(webhook, under_way)).event_id

    since = LONG_AGO
    again: list[str] = []
    for left in (2, 0):
        async with mine.connection() as connection:
            replayed = await DeliveryReplay(connection, mine.shop.tenant).replay_since(
                webhook.id, since, everything=True, limit=2, new_id=new_ulid, now=utc_now()
            )
        assert (len(replayed.delivery_ids), replayed.left) == (2, left)
        again += replayed.delivery_ids
        since = replayed.next_since or since
    assert replayed.next_since is None
    events = [(await mine.record(webhook, one)).event_id for one in again]
    assert sorted(events) == sorted({*seen} - {waiting})

    await mine.change(webhook, WebhookChange(events=("usage.threshold_reached",)))
    for one in (*again, under_way):
        await mine.send(one, GOT)
    async with mine.connection() as connection:
        replayed = await DeliveryReplay(connection, mine.shop.tenant).replay_since(
            webhook.id, LONG_AGO, everything=True, limit=9, new_id=new_ulid, now=utc_now()
        )
    assert replayed.delivery_ids == ()


async def test_what_can_no_longer_be_replayed_is_not_missed(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN)
    (delivery_id,) = await mine.tell()
    async with mine.database.service() as connection:
        await connection.execute(
            sa.update(outbox).where(owned(outbox, mine.shop)).values(body=None)
        )
    await mine.send(delivery_id, BROKEN)
    assert (await mine.seen(webhook)).missed == 0
    assert await mine.replay_missed(webhook) == ()
    assert len(await rows(mine.database, webhook_misses, of=mine.shop)) == 1, "that of before"


async def test_what_was_missed_is_counted_so_far_and_no_further(mine: Hooks) -> None:
    """A hundred webhooks with thousands of missed events each can still be listed."""
    webhook = await mine.subscribe()
    tenant = mine.shop.tenant
    many = {"client_id": tenant, "webhook_id": webhook.id, "many": COUNTED_MISSES + 1}
    async with mine.connection() as connection:
        for statement in (
            "INSERT INTO outbox (client_id, id, event, dedup_key, body, created_at) "
            "SELECT CAST(:client_id AS text), 'M' || i, 'ticket.resolved', i, '{}', now() "
            "FROM generate_series(1, :many) AS i",
            "INSERT INTO webhook_misses (client_id, webhook_id, event_id, created_at) "
            "SELECT client_id, :webhook_id, id, created_at FROM outbox "
            "WHERE client_id = CAST(:client_id AS text)",
        ):
            await connection.execute(sa.text(statement), many)
        replayed = await DeliveryReplay(connection, tenant).replay_since(
            webhook.id, LONG_AGO, limit=0, new_id=new_ulid, now=utc_now()
        )
    assert (replayed.delivery_ids, replayed.left) == ((), COUNTED_MISSES)
    assert (await mine.seen(webhook)).missed == COUNTED_MISSES


async def test_what_a_replay_would_send_is_counted(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 2)
    await mine.told_and_sent(GOT)

    async def counted(*, everything: bool = False, limit: int = 10) -> int:
        async with mine.connection() as connection:
            return await DeliveryReplay(connection, mine.shop.tenant).waiting(
                webhook.id, LONG_AGO, everything=everything, limit=limit
            )

    assert await counted() == 2
    assert await counted(everything=True) == 3
    assert await counted(everything=True, limit=1) == 1
    assert len(await mine.replay_missed(webhook)) == 2
    assert await counted() == 0, "they are under way"
