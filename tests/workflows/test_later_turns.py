"""A message during a review: answered as another subject, or added to the draft and plan."""

from pathlib import Path
from typing import Any

import pytest

from activities.intake import normalize
from activities.reviews import revise_review
from domain.agent.rulebook import ActionLevel, Rulebook
from domain.reviews.errors import ConversationMovedOn, EscalationChanged
from domain.reviews.escalation import Decision
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.claims import claim_review
from services.reviews.takeovers import take_over
from store.reviews.reviews import read_review
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, ai_conversations, engine_messages
from tests.support.agent.acting import Acting, acting_shop, order, think_by
from tests.support.agent.later_turns import (
    CORRECTION,
    DELIVERY,
    OTHER_MATTER,
    REFUND_OF,
    REFUNDED,
    UNSURE,
    ReadingBrain,
    ended,
    the_review,
    waiting_rules,
    writes,
)
from tests.support.core.endless import endless_search
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on

pytestmark = pytest.mark.own_database

ANNA = Actor.person("anna", Role.AGENT)


async def _shop(engine: LiveEngine, folder: Path, rulebook: Rulebook | None = None) -> Acting:
    orders = [order("2001"), order("2002", 3_500)]
    it = await acting_shop(engine, folder, orders, rulebook or waiting_rules())
    think_by(engine, ReadingBrain())
    return it


def _orders(review: dict[str, Any]) -> list[str]:
    return [step["order_number"] for step in review["plan"] if step["order_number"]]


async def test_a_corrected_number_replaces_the_plan(acting: LiveEngine, tmp_path: Path) -> None:
    it = await _shop(acting, tmp_path)
    async with acting.working():
        first = await writes(acting, it, REFUND_OF.format(2001))
        assert _orders(await the_review(acting, it)) == ["2001"]

        later = await writes(acting, it, CORRECTION.format(2002))

        review = await the_review(acting, it)
        assert _orders(review) == ["2002"]
        assert (review["amount"], review["revision"]) == (3_500, 1)
        assert later["status"] == "needs_review"
        with pytest.raises(EscalationChanged):
            await acting.decide(
                review["id"], Decision.APPROVE, seen_event=later["event_id"], seen_revision=0
            )
        assert it.refunded == 0
        await acting.decide(review["id"], Decision.APPROVE, seen_event=later["event_id"])
        assert (await ended(acting, it, first))["status"] == "completed"
        corrected = await ended(acting, it, later)

    assert it.refunded == 3_500
    (refund,) = [row for row in await rows(acting.database, action_ledger) if row["order_key"]]
    assert refund["order_key"] == "demo_shop/2002"
    assert (corrected["status"], corrected["covered"]) == ("completed", True)
    assert len(await rows(acting.database, escalation_tickets, of=it.shop)) == 1


async def test_two_corrections_leave_the_last_number(acting: LiveEngine, tmp_path: Path) -> None:
    it = await _shop(acting, tmp_path)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        await writes(acting, it, CORRECTION.format(2002))
        await writes(acting, it, CORRECTION.format(2001))
        review = await the_review(acting, it)

    assert (_orders(review), review["revision"]) == (["2001"], 2)


async def test_messages_that_are_too_expensive_to_merge_are_for_people(
    acting: LiveEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The review keeps its draft and plan, and the worker continues."""
    it = await _shop(acting, tmp_path)
    monkeypatch.setattr(revise_review, "merge_messages", lambda *_: endless_search())
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        later = await writes(acting, it, CORRECTION.format(2002))
        review = await the_review(acting, it)

    assert (_orders(review), review["revision"]) == (["2001"], 0)
    assert later["run"]["joined_review"] == review["id"]
    assert not later["run"]["in_draft"]


async def test_a_message_that_is_too_expensive_to_examine_is_for_people(
    acting: LiveEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = await _shop(acting, tmp_path)
    monkeypatch.setattr(normalize, "may_correct", lambda _: endless_search())
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        later = await writes(acting, it, CORRECTION.format(2002))
        review = await the_review(acting, it)

    assert (_orders(review), review["revision"]) == (["2001"], 0)
    assert later["run"]["joined_review"] == review["id"]


async def test_a_corrected_number_of_nobody_leaves_no_refund(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """The previous plan is about the wrong order, so it must not remain."""
    it = await _shop(acting, tmp_path)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        await writes(acting, it, CORRECTION.format(2999))
        review = await the_review(acting, it)

    assert (_orders(review), review["amount"]) == ([], None)


async def test_an_unproved_sender_corrects_nothing(acting: LiveEngine, tmp_path: Path) -> None:
    it = await _shop(acting, tmp_path)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001), ticket_id="T-1")
        await writes(
            acting,
            it,
            CORRECTION.format(2002),
            ticket_id="T-1",
            customer_email="eve@attacker.example",
        )
        review = await the_review(acting, it)

    assert (_orders(review), review["revision"]) == (["2001"], 0)


async def test_another_matter_is_answered_during_the_review(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await _shop(acting, tmp_path)
    async with acting.working():
        first = await writes(acting, it, REFUND_OF.format(2001))
        aside = await writes(acting, it, OTHER_MATTER)

        review = await the_review(acting, it)
        assert (aside["status"], aside["response"]) == ("completed", DELIVERY)
        assert (aside["run"]["joined_review"], aside["run"]["aside_of"]) == (None, review["id"])
        assert (review["status"], _orders(review), review["revision"]) == ("pending", ["2001"], 0)
        async with acting.database.tenant(it.shop.tenant) as connection:
            shown = await read_review(connection, it.shop.client_id, review["id"])
        assert [(one.answered, one.intent) for one in shown.messages[1:]] == [
            (True, "delivery_options")
        ]
        with pytest.raises(ConversationMovedOn):
            await acting.decide(review["id"], Decision.APPROVE)
        await acting.decide(review["id"], Decision.APPROVE, seen_event=aside["event_id"])
        await ended(acting, it, first)

    assert it.refunded == 4_900
    said = await rows(acting.database, engine_messages, of=it.shop, direction="outbound")
    assert sorted(one["body"] for one in said) == [DELIVERY, REFUNDED]


async def test_the_same_matter_is_left_to_people(acting: LiveEngine, tmp_path: Path) -> None:
    it = await _shop(acting, tmp_path)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        again = await writes(acting, it, REFUND_OF.format(2001))
        review = await the_review(acting, it)

    assert (again["status"], again["run"]["joined_review"]) == ("needs_review", review["id"])
    assert (_orders(review), review["revision"]) == (["2001"], 0)


async def test_a_playbook_leaves_other_matters_to_people(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await _shop(acting, tmp_path, waiting_rules(answers=False))
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        later = await writes(acting, it, OTHER_MATTER)

    assert later["status"] == "needs_review"
    assert later["run"]["intent"] == "delivery_options", "read all the same"


@pytest.mark.parametrize("held", ["claimed", "taken"])
async def test_the_agent_is_silent_while_a_person_holds(
    acting: LiveEngine, tmp_path: Path, held: str
) -> None:
    it = await _shop(acting, tmp_path)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        review = await the_review(acting, it)
        thread = (await only_row(acting.database, ai_conversations, of=it.shop))["id"]
        async with units_on(acting.database).of(it.shop.tenant) as work:
            if held == "claimed":
                await claim_review(work, ANNA, review["id"])
            else:
                await take_over(work, ANNA, thread)
        later = await writes(acting, it, OTHER_MATTER)
        corrected = await writes(acting, it, CORRECTION.format(2002))
        review = await the_review(acting, it)

    assert [later["status"], corrected["status"]] == ["needs_review"] * 2
    assert later["run"]["aside_of"] is None
    assert _orders(review) == ["2002"], "the plan is kept right for them"
    assert await rows(acting.database, engine_messages, of=it.shop, direction="outbound") == []


async def test_a_later_request_becomes_the_plan(acting: LiveEngine, tmp_path: Path) -> None:
    """In a review without actions; approving it answers the request, and nothing remains open."""
    it = await _shop(acting, tmp_path)
    async with acting.working():
        first = await writes(acting, it, UNSURE)
        assert _orders(await the_review(acting, it)) == []

        later = await writes(acting, it, REFUND_OF.format(2001))

        review = await the_review(acting, it)
        assert (_orders(review), review["draft"]) == (["2001"], REFUNDED)
        await acting.decide(review["id"], Decision.APPROVE, seen_event=later["event_id"])
        await ended(acting, it, first)
        assert (await ended(acting, it, later))["status"] == "completed"

    assert it.refunded == 4_900
    assert len(await rows(acting.database, escalation_tickets, of=it.shop)) == 1


@pytest.mark.parametrize("actions", [False, True])
async def test_a_request_about_another_order_is_carried_out_where_the_playbook_says_so(
    acting: LiveEngine, tmp_path: Path, actions: bool
) -> None:
    rulebook = waiting_rules(ActionLevel.AUTONOMOUS, actions=actions, per_action=4_000)
    it = await _shop(acting, tmp_path, rulebook)
    async with acting.working():
        first = await writes(acting, it, REFUND_OF.format(2001))
        later = await writes(acting, it, REFUND_OF.format(2002))
        review = await the_review(acting, it)

    assert (first["status"], review["needs_second"]) == ("needs_review", True)
    assert (later["status"], it.refunded) == (
        ("completed", 3_500) if actions else ("needs_review", 0)
    )
    assert _orders(review) == ["2001"]


async def test_a_sensitive_message_is_left_to_people_unread(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await _shop(acting, tmp_path)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        threat = await writes(acting, it, "Mon avocat va vous assigner.")
        question = await writes(acting, it, OTHER_MATTER)

    assert (threat["status"], threat["run"]["classification"]) == ("needs_review", None)
    assert question["status"] == "needs_review"
