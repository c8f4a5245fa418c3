"""Sentiment in PostgreSQL: one log row per message, one event per range entry, in any order."""

import asyncio
from datetime import timedelta

from adapters.system import new_ulid, utc_now
from store.core.database import Database
from store.runs.sentiment import SentimentRepository
from store.runs.tables import ai_conversations, sentiment_logs
from tests.support.core.rows import only_row, rows
from tests.support.runs.conversation import CUSTOMER, write
from tests.support.tenants.shop import Shop
from tests.support.webhooks.told import only_told, told_events

START = utc_now().replace(microsecond=0) - timedelta(hours=1)


async def messages(database: Database, shop: Shop, number: int) -> list[str]:
    """Return event ids of one conversation, a second apart, oldest first."""
    return [
        (await write(database, shop, now=START + timedelta(seconds=n))).event_id
        for n in range(number)
    ]


async def judge(database: Database, shop: Shop, event_id: str, score: float) -> None:
    async with database.tenant(shop.tenant) as connection:
        await SentimentRepository(connection, shop.tenant).record(
            event_id, score, now=utc_now(), new_id=new_ulid
        )


async def test_entering_the_zone_is_told(database: Database, shop: Shop) -> None:
    first, second, third = await messages(database, shop, 3)

    for event_id, score in ((first, 0.2), (second, -0.8), (third, -0.7)):
        await judge(database, shop, event_id, score)

    told = await only_told(database, of=shop, event="conversation.sentiment_negative")
    conversation = await only_row(database, ai_conversations, of=shop)
    assert told.dedup_key == second
    assert told.data == {
        "conversation_id": conversation["id"],
        "customer_email": CUSTOMER,
        "score": -0.8,
        "previous_score": 0.2,
        "threshold": -0.6,
    }
    assert (conversation["sentiment"], conversation["is_critical"]) == (-0.7, True)


async def test_the_zone_can_be_entered_again(database: Database, shop: Shop) -> None:
    events = await messages(database, shop, 4)

    for event_id, score in zip(events, (-0.9, -0.3, -0.5, -0.6), strict=True):
        await judge(database, shop, event_id, score)

    told = await told_events(database, of=shop, event="conversation.sentiment_negative")
    assert [one.dedup_key for one in told] == [events[0], events[3]]
    assert [one.data["previous_score"] for one in told] == [None, -0.5]


async def test_a_repetition_changes_nothing(database: Database, shop: Shop) -> None:
    (event_id,) = await messages(database, shop, 1)

    await asyncio.gather(*(judge(database, shop, event_id, -0.9) for _ in range(8)))
    await judge(database, shop, event_id, 1)

    assert (await only_row(database, sentiment_logs, of=shop))["score"] == -0.9
    assert (await only_told(database, of=shop)).event == "conversation.sentiment_negative"


async def test_a_late_judgement_counts_where_its_message_stands(
    database: Database, shop: Shop
) -> None:
    """The first message takes longest to process; it puts the second one into the range."""
    first, second, third = await messages(database, shop, 3)

    for event_id, score in ((third, 0.1), (second, -0.5), (first, -0.9)):
        await judge(database, shop, event_id, score)

    zones = {
        row["event_id"]: row["is_critical"] for row in await rows(database, sentiment_logs, of=shop)
    }
    assert zones == {first: True, second: True, third: False}
    conversation = await only_row(database, ai_conversations, of=shop)
    assert (conversation["sentiment"], conversation["is_critical"]) == (0.1, False)
    assert (await only_told(database, of=shop)).dedup_key == first


async def test_angry_messages_at_once_are_told_once(database: Database, shop: Shop) -> None:
    """Judged by concurrent workers in any order."""
    events = await messages(database, shop, 10)  # the maximum number for one customer

    await asyncio.gather(*(judge(database, shop, it, -0.9) for it in reversed(events)))

    assert len(await rows(database, sentiment_logs, of=shop, is_critical=True)) == 10
    assert len(await told_events(database, of=shop)) == 1
    assert (await only_row(database, ai_conversations, of=shop))["is_critical"]


async def test_concurrent_moods_end_as_in_order(database: Database, shop: Shop) -> None:
    events = await messages(database, shop, 10)
    scores = [0, -0.9, -0.5, -0.3, -0.5, -0.7, 0.4, -0.6, -0.4, -0.41]

    await asyncio.gather(
        *(judge(database, shop, *pair) for pair in reversed(list(zip(events, scores, strict=True))))
    )

    zones = {
        row["event_id"]: row["is_critical"] for row in await rows(database, sentiment_logs, of=shop)
    }
    expected = [False, True, True, False, False, True, False, True, True, True]
    assert [zones[event_id] for event_id in events] == expected
    assert (await only_row(database, ai_conversations, of=shop))["sentiment"] == -0.41
    assert len(await told_events(database, of=shop)) == 3
