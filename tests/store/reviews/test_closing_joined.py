"""Runs of messages that joined a case: they end with it, answered or failed."""

import asyncio
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.reviews.escalation import Choice, Decision
from store.core.database import Database
from store.reviews.case_messages import FailedMessage
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_runs
from tests.support.core.rows import only_row
from tests.support.reviews.conversations import converse, join, set_run, write
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("case", "expected"), [("completed", "completed"), ("needs_review", "needs_review")]
)
async def test_they_end_with_the_case(
    database: Database, shop: Shop, case: str, expected: str
) -> None:
    review_id = await open_review(database, shop)
    run_id = (await only_row(database, escalation_tickets, of=shop))["run_id"]
    conversation_id = await converse(database, shop, review_id)
    joined = await write(database, shop, conversation_id, status="needs_review")
    await join(database, shop, conversation_id, joined.event_id)
    elsewhere = await write(database, shop, conversation_id, status="needs_review")
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).decide(
            review_id,
            Choice(Decision.EDIT, "anna", text="Bonjour.", seen_event=joined.event_id),
            NOW,
        )
    await set_run(database, shop, run_id, status=case)

    for _ in range(2):
        async with database.tenant(shop.tenant) as connection:
            await EscalationRepository(connection, shop.tenant).close_joined(run_id, NOW)

    run = await only_row(database, engine_runs, id=joined.run_id)
    finished = NOW if expected == "completed" else None
    assert (run["status"], run["finished_at"]) == (expected, finished)
    assert run["response"] is None
    other = await only_row(database, engine_runs, id=elsewhere.run_id)
    assert other["status"] == "needs_review"


async def test_one_that_comes_late(database: Database, shop: Shop) -> None:
    """A message whose outcome is written while its case is closed is included."""
    for _ in range(8):
        review_id = await open_review(database, shop)
        review = await only_row(database, escalation_tickets, id=review_id)
        conversation_id = await converse(database, shop, review_id)
        joined = await write(database, shop, conversation_id)
        await join(database, shop, conversation_id, joined.event_id)
        await set_run(database, shop, joined.run_id, covered=True)

        await asyncio.gather(
            _persist_case(database, shop, review["run_id"]),
            _persist_joined(database, shop, review_id, joined.run_id),
        )

        run = await only_row(database, engine_runs, id=joined.run_id)
        assert run["status"] == "completed"


async def test_an_approval_reopens_what_the_draft_did_not_cover(
    database: Database, shop: Shop
) -> None:
    """Once, as at admission."""
    review_id = await open_review(database, shop)
    run_id = (await only_row(database, escalation_tickets, of=shop))["run_id"]
    conversation_id = await converse(database, shop, review_id)
    joined, next_one = [
        await write(database, shop, conversation_id, status="needs_review") for _ in range(2)
    ]
    for ref in (joined, next_one):
        await join(database, shop, conversation_id, ref.event_id)
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).decide(
            review_id, Choice(Decision.APPROVE, "anna", seen_event=next_one.event_id), NOW
        )
    await set_run(database, shop, run_id, status="completed")

    reopened: list[str] = []
    for _ in range(2):
        async with database.tenant(shop.tenant) as connection:
            repository = EscalationRepository(connection, shop.tenant)
            reopened += [run.ref.event_id for run in await repository.close_joined(run_id, NOW)]

    assert reopened == [joined.event_id, next_one.event_id]
    for ref in (joined, next_one):
        run = await only_row(database, engine_runs, id=ref.run_id)
        assert (run["status"], run["joined_review"], run["finished_at"]) == ("received", None, None)


async def test_they_fail_with_the_case(database: Database, shop: Shop) -> None:
    """A later outcome joins later messages: human agents have the conversation."""
    review_id = await open_review(database, shop)
    run_id = (await only_row(database, escalation_tickets, of=shop))["run_id"]
    conversation_id = await converse(database, shop, review_id)
    joined, late = [
        await write(database, shop, conversation_id, status=status)
        for status in ("needs_review", "received")
    ]
    for ref in (joined, late):
        await join(database, shop, conversation_id, ref.event_id)
    elsewhere = await write(database, shop, conversation_id, status="needs_review")
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).decide(
            review_id, Choice(Decision.APPROVE, "anna", seen_event=late.event_id), NOW
        )
    await set_run(database, shop, run_id, status="failed")

    failed: list[FailedMessage] = []
    for _ in range(2):
        async with database.tenant(shop.tenant) as connection:
            repository = EscalationRepository(connection, shop.tenant)
            failed += await repository.fail_case(run_id, "mail_refused", NOW)
    await _persist_joined(database, shop, review_id, late.run_id)

    assert failed == [FailedMessage(joined.run_id, joined.event_id)]
    run = await only_row(database, engine_runs, id=joined.run_id)
    assert (run["status"], run["error_code"]) == ("failed", "mail_refused")
    assert run["finished_at"] == NOW
    for ref in (late, elsewhere):
        assert (await only_row(database, engine_runs, id=ref.run_id))["status"] == "needs_review"
    assert (await only_row(database, ai_conversations, of=shop))["handed_over_at"] == NOW
    later = await write(database, shop, conversation_id)
    assert await join(database, shop, conversation_id, later.event_id) == review_id


async def _persist_case(database: Database, shop: Shop, run_id: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        await _finish(connection, run_id, "completed")
        await EscalationRepository(connection, shop.tenant).close_joined(run_id, NOW)


async def _persist_joined(database: Database, shop: Shop, review_id: str, run_id: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        repository = EscalationRepository(connection, shop.tenant)
        await repository.hold_case(review_id)
        await _finish(connection, run_id, "needs_review")
        await repository.close_joined(run_id, NOW)


async def _finish(connection: AsyncConnection, run_id: str, status: str) -> None:
    await connection.execute(
        sa.select(engine_runs.c.id).where(engine_runs.c.id == run_id).with_for_update()
    )
    await connection.execute(
        sa.update(engine_runs).where(engine_runs.c.id == run_id).values(status=status)
    )
