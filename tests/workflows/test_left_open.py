"""A question during a review: approving the draft leaves the question open."""

from typing import Any

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from adapters.system import utc_now
from domain.reviews.escalation import Decision
from domain.runs.contracts import RunFacts, SweepInput
from store.core.database import Database
from store.reviews.reviews import read_review
from store.reviews.tables import escalation_tickets
from store.runs.conversation_lists import ConversationLists, TalkFilter
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.reviews.conversations import set_run
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop
from tests.support.webhooks.told import told_events

DRAFTED = "Où est ma commande 1042 ? Le chat a mangé le bon de livraison."
WORDS = "Un conseiller vous appelle."


async def _writes(engine: LiveEngine, shop: Shop, message: str = DRAFTED) -> dict[str, Any]:
    answer = await engine.post(shop, message=message, customer_email="emma@example.com")
    facts: dict[str, Any] = answer.json()
    assert facts["status"] == "needs_review", facts
    return facts


async def _ended(engine: LiveEngine, shop: Shop, facts: dict[str, Any]) -> RunFacts:
    return RunFacts.model_validate(await engine.run_of(shop, facts["event_id"]).result())


async def _run(engine: LiveEngine, facts: dict[str, Any]) -> dict[str, Any]:
    return await only_row(engine.database, engine_runs, id=facts["run_id"])


async def _need_two(database: Database, shop: Shop, review_id: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.id == review_id)
            .values(needs_second=True)
        )


async def test_an_approved_draft_leaves_a_later_question_open(
    engine: LiveEngine, shop: Shop
) -> None:
    """The draft was written before the question: the agent processes it after the answer."""
    first = await _writes(engine, shop)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    second = await _writes(engine, shop, f"{UNSURE_MESSAGE} (2)")
    await _ended(engine, shop, second)

    async with engine.database.tenant(shop.tenant) as connection:
        shown = await read_review(connection, shop.client_id, review["id"])
    assert [message.covered for message in shown.messages] == [True, False]
    await engine.decide(review["id"], Decision.APPROVE, seen_event=second["event_id"])

    assert (await _ended(engine, shop, first)).status == "completed"
    own = await engine.review_of(second["run_id"], round_=0)
    assert (own["status"], own["round"]) == ("pending", 0)
    asked = await _run(engine, second)
    assert (asked["status"], asked["joined_review"]) == ("needs_review", None)
    assert asked["classification"] is not None, "the agent has read it"
    resolved = await told_events(engine.database, of=shop, event="ticket.resolved")
    assert len(resolved) == 1, "the first message's alone"
    async with engine.database.tenant(shop.tenant) as connection:
        lists = ConversationLists(connection, shop.tenant)
        open_now, _ = await lists.page(
            TalkFilter(unanswered=True), after=None, limit=5, now=utc_now()
        )
        shown = await read_review(connection, shop.client_id, own["id"])
    assert len(open_now) == 1, "the answer came after the question, and left it open"
    assert review["draft"] in [turn.body for turn in shown.turns], "what was answered since"

    await engine.decide(own["id"], Decision.EDIT, WORDS)

    assert (await _ended(engine, shop, second)).status == "completed"
    asked = await _run(engine, second)
    assert (asked["status"], asked["response"]) == ("completed", WORDS)
    assert asked["answer"]["status"] == "needs_review", "the answer to its caller"
    async with engine.database.tenant(shop.tenant) as connection:
        lists = ConversationLists(connection, shop.tenant)
        assert await lists.page(
            TalkFilter(unanswered=True), after=None, limit=5, now=utc_now()
        ) == ([], None)
    answers = await rows(engine.database, engine_messages, of=shop, direction="outbound")
    assert {answer["event_id"] for answer in answers} == {first["event_id"], second["event_id"]}


async def test_words_of_a_first_person_answer_what_that_person_read(
    engine: LiveEngine, shop: Shop
) -> None:
    """A text that the second person only approves answers no message after it."""
    first = await _writes(engine, shop)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    await _need_two(engine.database, shop, review["id"])
    second = await _writes(engine, shop, "Allô, il y a quelqu'un ?")
    await engine.decide(
        review["id"], Decision.EDIT, WORDS, actor="anna", seen_event=second["event_id"]
    )
    third = await _writes(engine, shop, f"{UNSURE_MESSAGE} (3)")
    for facts in (second, third):
        await _ended(engine, shop, facts)

    await engine.decide(review["id"], Decision.APPROVE, actor="bea", seen_event=third["event_id"])
    await engine.decide(review["id"], Decision.APPROVE, actor="carl", seen_event=third["event_id"])

    assert (await _ended(engine, shop, first)).status == "completed"
    assert (await _run(engine, second))["status"] == "completed"
    own = await engine.review_of(third["run_id"], round_=0)
    assert own["status"] == "pending"


@pytest.mark.own_database
async def test_a_question_left_open_at_a_crash_is_swept_up(engine: LiveEngine, shop: Shop) -> None:
    """The answer is stored, but the workflow for the question was never started."""
    first = await _writes(engine, shop)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    second = await _writes(engine, shop, f"{UNSURE_MESSAGE} (2)")
    await _ended(engine, shop, second)
    await set_run(engine.database, shop, second["run_id"], status="received", joined_review=None)
    await engine.decide(review["id"], Decision.APPROVE, seen_event=second["event_id"])
    await _ended(engine, shop, first)

    await ActivityEnvironment().run(
        engine.activities.sweep.start_received, SweepInput(older_than_s=0)
    )

    own = await engine.review_of(second["run_id"], round_=0)
    assert own["status"] == "pending"
