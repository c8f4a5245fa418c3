"""A customer's memory: from all threads, without other people's messages, and unavailable to
visitors."""

import asyncio
from typing import Any

import sqlalchemy as sa

from adapters.system import utc_now
from domain.core.contracts import RunRef
from store.core.database import Database
from store.runs.cases import Case, CaseRepository
from store.runs.conversations import ConversationRepository
from store.runs.tables import customer_memories, engine_runs
from tests.support.core.rows import only_row, rows
from tests.support.runs.conversation import KEY, write
from tests.support.tenants.shop import Shop

NOW = utc_now()


async def answer(database: Database, shop: Shop, ref: RunRef, classification: str) -> None:
    """Store an answer as persist does."""
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.id == ref.run_id)
            .values(status="completed", classification=classification, response="answer")
        )
        await ConversationRepository(connection, shop.tenant).remember(ref.event_id, NOW)


async def answered(
    database: Database, shop: Shop, classification: str, key: str, **more: Any
) -> None:
    await answer(database, shop, await write(database, shop, key=key, **more), classification)


async def case_of(database: Database, shop: Shop, ref: RunRef) -> Case:
    async with database.tenant(shop.tenant) as connection:
        return await CaseRepository(connection, shop.tenant).read(ref.run_id)


def outcomes(summary: str) -> list[str]:
    """Return the summary's lines without dates."""
    return [line.split(" ", 1)[1] for line in summary.splitlines()]


async def test_it_is_of_all_threads(database: Database, shop: Shop) -> None:
    await answered(database, shop, "order_status", "ticket:zendesk:1")
    await answered(database, shop, "complaint", "ticket:zendesk:2")

    case = await case_of(database, shop, await write(database, shop, key="ticket:zendesk:3"))

    assert outcomes(case.summary) == ["order_status: answered", "complaint: answered"]
    assert case.turns == ()
    memory = await only_row(database, customer_memories, of=shop)
    assert (memory["key"], memory["summary"]) == (KEY, case.summary)


async def test_who_else_writes_in_a_ticket_has_no_part_in_it(
    database: Database, shop: Shop
) -> None:
    await answered(database, shop, "order_status", "ticket:zendesk:1")
    await answered(database, shop, "complaint", "ticket:zendesk:1", customer="bob@b.example")

    bob = await write(database, shop, key="ticket:zendesk:1", customer="bob@b.example")
    ann = await write(database, shop, key="ticket:zendesk:2")

    assert (await case_of(database, shop, bob)).summary == ""
    assert outcomes((await case_of(database, shop, ann)).summary) == ["order_status: answered"]


async def test_a_visitor_is_remembered_in_the_session_alone(database: Database, shop: Shop) -> None:
    await answered(database, shop, "order_status", "session:1", customer=None)

    here = await write(database, shop, key="session:1", customer=None)
    elsewhere = await write(database, shop, key="session:2", customer=None)

    found = [(await case_of(database, shop, ref)).summary for ref in (here, elsewhere)]
    assert [*map(outcomes, found)] == [["order_status: answered"], []]
    assert await rows(database, customer_memories, of=shop) == []


async def test_threads_that_are_answered_at_once_are_both_in_it(
    database: Database, shop: Shop
) -> None:
    """Each waits for the other's memory, and sees its changes."""
    refs = [await write(database, shop, key=f"ticket:zendesk:{n}") for n in range(5)]

    await asyncio.gather(*(answer(database, shop, ref, "other") for ref in refs))

    memory = await only_row(database, customer_memories, of=shop)
    assert outcomes(memory["summary"]) == ["other: answered"] * 5
