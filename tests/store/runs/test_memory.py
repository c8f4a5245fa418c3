"""The memory of a conversation: by client and customer, bounded, and without strangers'
messages."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.core.contracts import RunRef
from store.core.database import Database
from store.runs.conversations import ConversationRepository
from store.runs.tables import action_ledger, ai_conversations, engine_runs
from tests.support.core.rows import only_row, rows
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

NOW = utc_now()


async def outcome(database: Database, shop: Shop, ref: RunRef, **columns: object) -> None:
    """Store an outcome as persist and the ledger do."""
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == ref.run_id).values(columns)
        )


async def refunded(
    database: Database, shop: Shop, ref: RunRef, state: str, *, round_: int = 0
) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(action_ledger).values(
                client_id=shop.client_id,
                id=new_ulid(),
                run_id=ref.run_id,
                step=0,
                round=round_,
                action="refund",
                state=state,
                detail="",
                order_key="demo_shop/1",
                amount=4900,
                currency="EUR",
                planned_at=NOW,
            )
        )


async def remember(
    database: Database, shop: Shop, ref: RunRef, now: datetime = NOW
) -> dict[str, Any]:
    async with database.tenant(shop.tenant) as connection:
        await ConversationRepository(connection, shop.tenant).remember(ref.event_id, now)
    return await only_row(database, ai_conversations, client_id=shop.client_id)


def lines(conversation: dict[str, Any]) -> list[str]:
    """Return the summary's lines without dates."""
    return [line.split(" ", 1)[1] for line in str(conversation["summary"]).splitlines()]


async def test_summary_says_what_came_of_each_run(database: Database, shop: Shop) -> None:
    first, second, third = [
        await write(database, shop, f"secret words {n}", now=NOW - timedelta(minutes=9 - n))
        for n in range(3)
    ]
    await outcome(
        database, shop, first,
        status="completed", classification="order_status", response="Voilà",
        lookup={"state": "found", "order": {"number": "1042"}},
    )  # fmt: skip
    await outcome(
        database, shop, second,
        status="completed", classification="refund_request", response="Fait",
    )  # fmt: skip
    await refunded(database, shop, second, "unknown")
    await refunded(database, shop, second, "done", round_=1)
    await outcome(database, shop, third, status="needs_review", classification="complaint")

    conversation = await remember(database, shop, third)

    assert lines(conversation) == [
        "order_status, order 1042: answered",
        "refund_request: refund of 49.00 EUR done, answered",
        "complaint: waiting for a human",
    ]
    assert "secret" not in str(conversation["summary"])


async def test_a_run_without_an_outcome_is_not_in_it(database: Database, shop: Shop) -> None:
    ref = await write(database, shop)

    assert (await remember(database, shop, ref))["summary"] == ""


async def test_an_effect_that_did_not_happen_is_not_in_it(database: Database, shop: Shop) -> None:
    ref = await write(database, shop)
    await outcome(database, shop, ref, status="failed", classification="refund_request")
    await refunded(database, shop, ref, "failed")

    assert lines(await remember(database, shop, ref)) == ["refund_request: not answered"]


async def test_memory_stays_with_its_client(database: Database, shop: Shop) -> None:
    """The same customer of two clients has two memories."""
    other = await open_shop(database)
    for one, name in ((shop, "order_status"), (other, "complaint")):
        ref = await write(database, one, f"to {one.client_id}")
        await outcome(
            database, one, ref, status="completed", classification=name, response="answer"
        )
        await remember(database, one, ref)

    mine, theirs = [
        await only_row(database, ai_conversations, client_id=it.client_id) for it in (shop, other)
    ]
    assert (lines(mine), lines(theirs)) == (["order_status: answered"], ["complaint: answered"])
    assert [turn["body"] for turn in mine["turns"]] == [f"to {shop.client_id}"]
    assert [turn["body"] for turn in theirs["turns"]] == [f"to {other.client_id}"]


async def test_old_turns_are_left_out_and_the_summary_stays(database: Database, shop: Shop) -> None:
    """In a thread that has lasted long enough."""
    days = (33, 31, 29, 27)
    refs = [await write(database, shop, str(day), now=NOW - timedelta(days=day)) for day in days]
    await outcome(
        database, shop, refs[0], status="completed", classification="other", response="answer"
    )
    conversation = await remember(database, shop, refs[-1], NOW - timedelta(days=27))
    assert [turn["body"] for turn in conversation["turns"]] == ["33", "31", "29", "27"]

    for day in (25, 23):
        await write(database, shop, str(day), now=NOW - timedelta(days=day))
    (opened,) = await rows(database, ai_conversations, of=shop)
    assert [turn["body"] for turn in opened["turns"]] == ["33", "31", "29", "27"]
    conversation = await remember(database, shop, refs[0], NOW)

    assert [turn["body"] for turn in conversation["turns"]] == ["29", "27", "25", "23"]
    assert lines(conversation) == ["other: answered"]


async def test_turns_that_have_become_old_are_forgotten_by_the_next_message(
    database: Database, shop: Shop
) -> None:
    ref = await write(database, shop, "old", now=NOW - timedelta(days=31))
    await remember(database, shop, ref, NOW - timedelta(days=31))
    await _still_spoken_in(database, shop)

    await write(database, shop, "new", now=NOW)

    assert (await only_row(database, ai_conversations, of=shop))["turns"] == []


async def test_turns_without_a_time_are_kept(database: Database, shop: Shop) -> None:
    """Turns stored before they had a time."""
    await write(database, shop, now=NOW - timedelta(days=60))
    await _still_spoken_in(database, shop, turns=[{"author": "agent", "body": "hello"}])

    await write(database, shop, now=NOW)

    assert (await only_row(database, ai_conversations, of=shop))["turns"] == [
        {"author": "agent", "body": "hello"}
    ]


async def _still_spoken_in(database: Database, shop: Shop, **columns: object) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(ai_conversations)
            .where(ai_conversations.c.client_id == shop.client_id)
            .values(last_message_at=NOW - timedelta(hours=1), **columns)
        )
