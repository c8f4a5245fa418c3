"""Erasure of a customer: threads and memories lose the customer's data, and keep other people's."""

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.thread import Thread
from domain.privacy.erasure import session_subject
from store.runs.tables import ai_conversations, customer_memories, engine_runs
from store.runs.threads import ThreadRepository
from tests.support.agent.proposals import a_proposal
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.privacy.erasing import erase, tables_with
from tests.support.tenants.shop import ORDER_QUESTION, Shop

pytestmark = pytest.mark.own_database

# Nothing else in the database contains this word.
CANARY = "canari"
ZITA, BOB = f"zita@{CANARY}.example", "bob@example.com"


async def _write(
    engine: LiveEngine,
    shop: Shop,
    customer: str | None,
    ticket: str,
    event_type: str = "shopify.ticket",
) -> None:
    await engine.post(
        shop,
        event_type=event_type,
        ticket_id=ticket,
        message=ORDER_QUESTION,
        **({} if customer is None else {"customer_email": customer}),
    )


async def _settle(engine: LiveEngine, shop: Shop) -> None:
    """Mention an order in every thread, and ask Zita for a confirmation."""
    settled = Thread(order_number="1042", proposal=a_proposal(customer=ZITA))
    async with engine.database.tenant(shop.tenant) as connection:
        for row in await rows(engine.database, ai_conversations, of=shop):
            await ThreadRepository(connection, shop.tenant).keep(
                row["id"], settled, sender=None, now=utc_now()
            )
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.client_id == shop.client_id)
            .values(thread_after=settled.model_dump(mode="json"))
        )


async def test_of_a_ticket_of_two_what_is_the_others_stays(
    engine: LiveEngine, shop: Shop, database_url: str
) -> None:
    for customer, ticket in ((ZITA, "7"), (BOB, "7"), (ZITA, "8"), (BOB, "9")):
        await _write(engine, shop, customer, ticket)
    await _settle(engine, shop)
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(
                engine_runs.c.event_id.in_(
                    sa.text("SELECT id FROM engine_events WHERE customer_email = :bob").bindparams(
                        bob=BOB
                    )
                )
            )
            .values(thread_after=None)
        )
        await connection.execute(
            sa.update(ai_conversations)
            .where(ai_conversations.c.key == "ticket:shopify:9")
            .values(proposal=None)
        )
    assert {"ai_conversations", "customer_memories", "engine_runs"} <= tables_with(
        database_url, CANARY
    ).keys()

    certificate = await erase(engine, shop, ZITA)

    assert tables_with(database_url, CANARY) == {}
    assert certificate.removed["customer_memories"] == 1
    threads = {row["key"]: row for row in await rows(engine.database, ai_conversations, of=shop)}
    assert threads.keys() == {"ticket:shopify:7", "ticket:shopify:9"}
    shared, his = threads["ticket:shopify:7"], threads["ticket:shopify:9"]
    assert (shared["memory_key"], shared["thread"], shared["proposal"]) == (None, {}, None)
    assert (len(shared["turns"]), his["thread"]) == (2, {"order_number": "1042"})
    memory = await only_row(engine.database, customer_memories, of=shop)
    assert memory["key"] == f"email:{BOB}"


async def test_a_thread_of_an_author_who_only_claimed_the_address_goes(
    engine: LiveEngine, shop: Shop, database_url: str
) -> None:
    for customer in (ZITA, BOB):
        await _write(engine, shop, customer, "7", "zendesk.ticket")
    before = await rows(engine.database, ai_conversations, of=shop)
    assert {row["key"].partition(":")[0] for row in before} == {"claim"}

    await erase(engine, shop, ZITA)

    assert tables_with(database_url, CANARY) == {}
    left = await only_row(engine.database, ai_conversations, of=shop)
    assert left["customer_email"] == BOB


async def test_a_ticket_that_began_without_an_address(
    engine: LiveEngine, shop: Shop, database_url: str
) -> None:
    """It shares the memory of its first named author, and nothing else names them."""
    for customer in (None, ZITA, BOB):
        await _write(engine, shop, customer, "8")
    thread = await only_row(engine.database, ai_conversations, of=shop)
    assert (thread["customer_email"], thread["memory_key"]) == (None, f"email:{ZITA}")

    await erase(engine, shop, ZITA)

    assert tables_with(database_url, CANARY) == {}
    await _write(engine, shop, BOB, "8")
    assert tables_with(database_url, CANARY) == {}
    memory = await only_row(engine.database, customer_memories, of=shop)
    assert memory["key"] == f"email:{BOB}"


async def test_a_memory_is_found_where_no_event_is_left(
    engine: LiveEngine, shop: Shop, database_url: str
) -> None:
    """Retention may have deleted the customer's messages."""
    await _write(engine, shop, BOB, "8")
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(ai_conversations).values(customer_email=None, memory_key=f"email:{ZITA}")
        )

    await erase(engine, shop, ZITA)

    assert tables_with(database_url, CANARY) == {}
    thread = await only_row(engine.database, ai_conversations, of=shop)
    assert (thread["key"], thread["memory_key"]) == ("ticket:shopify:8", None)


async def test_an_ended_thread_goes_too(engine: LiveEngine, shop: Shop, database_url: str) -> None:
    """Its key contains the address before its id."""
    await engine.post(shop, customer_email=ZITA, message=ORDER_QUESTION)
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.text("""
                UPDATE ai_conversations
                SET key = key || '/' || id, customer_email = NULL, ended_at = :now"""),
            {"now": utc_now()},
        )

    await erase(engine, shop, ZITA)

    assert tables_with(database_url, CANARY) == {}
    assert await rows(engine.database, ai_conversations) == []


@pytest.mark.parametrize("ended", [False, True])
async def test_a_visitor_who_never_told_an_address(
    engine: LiveEngine, shop: Shop, database_url: str, *, ended: bool
) -> None:
    """The session identifies the visitor; another session's messages remain."""
    for session, words in ((f"{CANARY}-1", f"I am {CANARY}."), ("other-2", ORDER_QUESTION)):
        await engine.post(shop, source="widget", session_id=session, message=words)
    if ended:
        async with engine.database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.text("UPDATE ai_conversations SET key = key || '/' || id, ended_at = :now"),
                {"now": utc_now()},
            )
    assert "engine_events" in tables_with(database_url, CANARY)

    certificate = await erase(engine, shop, session_subject(f"{CANARY}-1"))

    assert tables_with(database_url, CANARY) == {}
    assert certificate.removed["engine_messages"] == 1
    thread = await only_row(engine.database, ai_conversations, of=shop)
    assert thread["key"].startswith("session:other-2")


async def test_a_session_that_is_called_like_an_ended_one_is_anothers(
    engine: LiveEngine, shop: Shop
) -> None:
    """Visitors choose session names, and must not be erased with another visitor."""
    theirs, others = CANARY, f"{CANARY}/{new_ulid()}"
    for session in (theirs, others):
        await engine.post(shop, source="widget", session_id=session, message=ORDER_QUESTION)

    await erase(engine, shop, session_subject(theirs))

    thread = await only_row(engine.database, ai_conversations, of=shop)
    assert thread["key"] == f"session:{others}"
    assert thread["summary"]

    await erase(engine, shop, session_subject(others))

    assert await rows(engine.database, ai_conversations, of=shop) == []
