"""Threads: how each starts and ends, what is stored, and who answers its proposal."""

import asyncio
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.agent.thread import Thread
from domain.core.contracts import RunRef
from domain.reviews.escalation import EscalationStatus
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import escalation_tickets
from store.runs.cases import Case, CaseRepository
from store.runs.conversations import Opened
from store.runs.tables import ai_conversations
from store.runs.threads import ThreadRepository
from tests.support.agent.proposals import a_proposal
from tests.support.core.rows import only_row, rows
from tests.support.runs.conversation import CUSTOMER, KEY, admitted, filed, say, write
from tests.support.tenants.shop import Shop

NOW = utc_now()
HOUR = timedelta(hours=1)
PROPOSAL = a_proposal()


async def opened_at(database: Database, shop: Shop, at: datetime, key: str = KEY) -> Opened:
    ref = await admitted(database, shop, customer=CUSTOMER, now=at)
    return await filed(database, shop, ref, key=key, now=at)


async def case_of(database: Database, shop: Shop, ref: RunRef) -> Case:
    async with database.tenant(shop.tenant) as connection:
        return await CaseRepository(connection, shop.tenant).read(ref.run_id)


async def ask_human(database: Database, shop: Shop, ref: RunRef, at: datetime) -> None:
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).open(
            ref,
            escalation_id=new_ulid(),
            round_=0,
            reason=EscalationReason.LOW_CONFIDENCE,
            expires_at=at + 100 * HOUR,
            now=at,
        )


async def test_a_thread_ends_after_its_time_without_a_message(
    database: Database, shop: Shop
) -> None:
    first = await opened_at(database, shop, NOW)
    within = await opened_at(database, shop, NOW + 71 * HOUR)
    assert (first.is_new, within.is_new, within.id) == (True, False, first.id)

    # Counted from its latest message.
    ended_at = NOW + (71 + 72) * HOUR
    after = await opened_at(database, shop, ended_at)

    assert after.is_new
    old = await only_row(database, ai_conversations, id=first.id)
    new = await only_row(database, ai_conversations, id=after.id)
    assert (old["key"], old["ended_at"]) == (f"{KEY}/{first.id}", ended_at)
    assert (new["key"], new["ended_at"], new["created_at"]) == (KEY, None, ended_at)
    assert new["memory_key"] == old["memory_key"] == KEY
    assert (await opened_at(database, shop, ended_at)).id == after.id


async def test_a_thread_lasts_as_long_as_is_set(database: Database, shop: Shop) -> None:
    first = await opened_at(database, shop, NOW)
    ref = await admitted(database, shop, customer=CUSTOMER, now=NOW)

    later = await filed(database, shop, ref, now=NOW + HOUR, lasts=HOUR)

    assert later.id != first.id


async def test_an_answer_keeps_a_thread_alive(database: Database, shop: Shop) -> None:
    ref = await write(database, shop, now=NOW)
    await say(database, shop, ref, NOW + 10 * HOUR)

    assert not (await opened_at(database, shop, NOW + 81 * HOUR)).is_new


async def test_while_a_human_is_asked_it_does_not_end(database: Database, shop: Shop) -> None:
    ref = await write(database, shop, now=NOW)
    await ask_human(database, shop, ref, NOW)
    assert not (await opened_at(database, shop, NOW + 80 * HOUR)).is_new

    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(escalation_tickets).values(status=EscalationStatus.EXPIRED)
        )
    assert (await opened_at(database, shop, NOW + 160 * HOUR)).is_new


async def test_a_clock_that_is_behind_ends_nothing(database: Database, shop: Shop) -> None:
    await opened_at(database, shop, NOW)
    await opened_at(database, shop, NOW - HOUR)

    row = await only_row(database, ai_conversations, of=shop)
    assert row["last_message_at"] == NOW


@pytest.mark.parametrize("old", [False, True])
async def test_first_messages_at_once_begin_one_thread(
    database: Database, shop: Shop, *, old: bool
) -> None:
    """Whether there was none before, or one that had expired."""
    if old:
        await opened_at(database, shop, NOW - 100 * HOUR)
    refs = [await admitted(database, shop, customer=CUSTOMER, now=NOW) for _ in range(6)]

    opened = await asyncio.gather(*(filed(database, shop, ref, now=NOW) for ref in refs))

    assert len({one.id for one in opened}) == 1
    assert [one.is_new for one in opened].count(True) == 1
    assert len(await rows(database, ai_conversations, of=shop)) == 1 + old


async def test_a_message_filed_again_stays_where_it_is(database: Database, shop: Shop) -> None:
    ref = await admitted(database, shop, customer=CUSTOMER, now=NOW)
    first = await filed(database, shop, ref, now=NOW)
    again = await filed(database, shop, ref, now=NOW)

    assert (first.is_new, first.is_repeated) == (True, False)
    assert (again.is_new, again.is_repeated, again.id) == (False, True, first.id)


async def test_the_version_before_finds_the_thread_that_goes_on(
    database: Database, shop: Shop
) -> None:
    """It runs beside this version during an upgrade, and looks up only the key."""
    await opened_at(database, shop, NOW - 100 * HOUR)
    current = await opened_at(database, shop, NOW)

    async with database.tenant(shop.tenant) as connection:
        found = await connection.scalar(
            sa.text("""
                INSERT INTO ai_conversations AS c (client_id, id, key, channel, summary,
                                                   created_at, last_message_at)
                VALUES (:client_id, :id, :key, 'api', '', :now, :now)
                ON CONFLICT (client_id, key) DO UPDATE SET last_message_at = :now
                RETURNING id"""),
            {"client_id": shop.client_id, "id": new_ulid(), "key": KEY, "now": NOW},
        )

    assert found == current.id


async def test_what_is_settled_comes_back_in_the_next_case(database: Database, shop: Shop) -> None:
    ref = await write(database, shop, now=NOW)
    settled = Thread(order_number="1043", language="fr", proposal=PROPOSAL)
    first = await case_of(database, shop, ref)
    assert (first.thread, first.playbook_id) == (Thread(), shop.playbook_id)
    assert first.conversation_id is not None

    async with database.tenant(shop.tenant) as connection:
        await ThreadRepository(connection, shop.tenant).keep(
            first.conversation_id, settled, sender=None, now=utc_now()
        )
    second, third = await write(database, shop), await write(database, shop)
    elsewhere = await write(database, shop, key="ticket:zendesk:7")
    without = settled.model_copy(update={"proposal": None})

    for ref_of_message, expected in ((second, PROPOSAL), (third, None), (second, PROPOSAL)):
        async with database.tenant(shop.tenant) as connection:
            answered = await ThreadRepository(connection, shop.tenant).answered_by(
                first.conversation_id, ref_of_message.run_id
            )
        assert answered == expected

    assert (await case_of(database, shop, second)).thread == settled
    assert (await case_of(database, shop, third)).thread == without
    assert (await case_of(database, shop, elsewhere)).thread == Thread()


async def test_of_messages_at_once_one_answers_a_proposal(database: Database, shop: Shop) -> None:
    thread = (await opened_at(database, shop, NOW)).id
    refs = [await write(database, shop, now=NOW) for _ in range(6)]

    async def answer(run_id: str) -> bool:
        async with database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.select(ai_conversations.c.id)
                .where(ai_conversations.c.id == thread)
                .with_for_update()
            )
            threads = ThreadRepository(connection, shop.tenant)
            return await threads.answered_by(thread, run_id) is not None

    async with database.tenant(shop.tenant) as connection:
        await ThreadRepository(connection, shop.tenant).keep(
            thread, Thread(proposal=PROPOSAL), sender=None, now=utc_now()
        )

    answered = await asyncio.gather(*(answer(ref.run_id) for ref in refs))

    assert answered.count(True) == 1


async def test_a_proposal_ends_with_its_thread(database: Database, shop: Shop) -> None:
    thread = (await opened_at(database, shop, NOW)).id
    async with database.tenant(shop.tenant) as connection:
        await ThreadRepository(connection, shop.tenant).keep(
            thread, Thread(proposal=PROPOSAL), sender=None, now=utc_now()
        )

    await opened_at(database, shop, NOW + 72 * HOUR)

    found = await rows(database, ai_conversations, of=shop)
    assert [row["proposal"] for row in found] == [None, None]


async def test_automatic_turns_of_the_last_hour_are_counted(database: Database, shop: Shop) -> None:
    for minutes, author in ((100, "agent"), (50, "agent"), (40, "human"), (30, "agent")):
        at = NOW - timedelta(minutes=minutes)
        await say(database, shop, await write(database, shop, now=at), at, author)
    elsewhere = await write(database, shop, key="ticket:zendesk:7", now=NOW)
    await say(database, shop, elsewhere, NOW)

    assert (
        await case_of(database, shop, await write(database, shop, now=NOW))
    ).automatic_turns == 2


async def test_a_case_is_held_by_another_messages_review(database: Database, shop: Shop) -> None:
    first, second = [await write(database, shop, now=NOW) for _ in range(2)]
    elsewhere = await write(database, shop, key="ticket:zendesk:7", now=NOW)
    await ask_human(database, shop, first, NOW)

    held = [await case_of(database, shop, ref) for ref in (first, second, elsewhere)]
    assert [case.is_held for case in held] == [False, True, False]

    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(escalation_tickets).values(status="rejected"))
        await connection.execute(
            sa.update(ai_conversations)
            .where(ai_conversations.c.key == KEY)
            .values(handed_over_at=NOW)
        )
    held = [await case_of(database, shop, ref) for ref in (first, second, elsewhere)]
    assert [case.is_held for case in held] == [True, True, False]
