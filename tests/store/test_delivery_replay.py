"""Replays: of one delivery, of what was missed, each event once."""

import asyncio

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.delivery import Trigger
from domain.webhook_errors import DeliveryPending, WebhookDisabled
from store.database import Database
from store.tables import outbox, webhook_misses
from store.webhook_repository import WebhookChange
from tests.support.deliveries import BROKEN, GOT, SUCCESS, Hooks
from tests.support.rows import rows
from tests.support.shop import Shop
from tests.support.webhooks import URL


@pytest.fixture
def mine(database: Database, shop: Shop) -> Hooks:
    return Hooks(database, shop)


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
    events = {row["id"]: bytes(row["body"]) for row in await rows(mine.database, outbox)}
    assert all(events[one.event_id] == one.request_body.encode() for one in sent)


async def test_what_can_no_longer_be_replayed_is_not_missed(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN)
    (delivery_id,) = await mine.tell()
    async with mine.database.service() as connection:
        await connection.execute(sa.update(outbox).values(body=None))
    await mine.send(delivery_id, BROKEN)
    assert (await mine.seen(webhook)).missed == 0
    assert await mine.replay_missed(webhook) == ()
    assert len(await rows(mine.database, webhook_misses)) == 1, "that of before"
