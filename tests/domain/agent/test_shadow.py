"""What a run stores of a thought in shadow mode."""

import pytest

from domain.agent.brain import BrainAnswer, Category, Citation
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy_decision import Judgement, PolicyDecision, PolicyReason, Ruling
from domain.agent.shadow import held_in_shadow, kept_in_shadow
from domain.agent.thinking_result import ThinkingResult
from domain.integrations.order import Lookup, LookupState
from tests.support.agent.policy_context import DESK, FREE_HAND, NOW, SHOP, an_event, an_order

_SHADOW = FREE_HAND.model_copy(update={"shadow": True})


def _context(**event: bool) -> BrainContext:
    return BrainContext(
        event=an_event(**event),  # type: ignore[arg-type]
        brand_name="Boutique",
        rulebook=_SHADOW,
        templates=(),
        passages=(),
        lookup=Lookup(state=LookupState.FOUND, order=an_order()),
        connections=(SHOP, DESK),
    )


def _thought(*verdicts: PolicyDecision) -> ThinkingResult:
    refund = PlannedAction(kind=ActionKind.REFUND, order_number="1042")
    reply = PlannedAction(kind=ActionKind.REPLY_IN_HELPDESK, ticket_id="T-1")
    return ThinkingResult(
        answer=BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=0.9,
            language="fr",
            response="Nous vous remboursons.",
            citations=(Citation(kind="order", id="order-1", title="#1042"),),
            model="scripted",
        ),
        judgement=Judgement(plan=(refund, reply), verdicts=verdicts),
        findings=(),
        hold=None,
        text="Nous vous remboursons.",
    )


def test_the_run_keeps_the_reply_alone() -> None:
    above = PolicyDecision(
        kind=ActionKind.REFUND, ruling=Ruling.NEEDS_SECOND, reason=PolicyReason.ABOVE_PER_ACTION
    )
    reply = PolicyDecision(kind=ActionKind.REPLY_IN_HELPDESK, ruling=Ruling.ALLOWED)

    kept = kept_in_shadow(_thought(above, reply), _context(), None, NOW)

    assert [one.kind for one in kept.plan] == [ActionKind.REPLY_IN_HELPDESK]
    assert (kept.plan[0].integration_id, kept.plan[0].ticket_id) == ("desk", "T-1")
    assert (kept.text, kept.answer.response, kept.answer.citations) == ("", "", ())
    assert kept.judgement.verdicts == (reply,)
    # One person may send a text of their own.
    assert not kept.judgement.needs_second
    assert kept.hold is EscalationReason.SHADOW_MODE


@pytest.mark.parametrize("reason", [EscalationReason.UNSAFE_INPUT, EscalationReason.LOW_CONFIDENCE])
def test_why_people_would_have_looked_anyway_stays(reason: EscalationReason) -> None:
    assert kept_in_shadow(_thought(), _context(), reason, NOW).hold is reason


def test_what_asks_for_no_answer_gets_none() -> None:
    kept = kept_in_shadow(_thought(), _context(reply_allowed=False), None, NOW)

    assert (kept.plan, kept.hold, kept.text) == ((), None, "")


def test_a_dry_run_shows_the_words_and_waits() -> None:
    held = held_in_shadow(_thought(), _context())

    assert (held.hold, held.text) == (EscalationReason.SHADOW_MODE, "Nous vous remboursons.")
