"""How an outcome differs from its expectation."""

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from domain.agent.brain import Category, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind, PlannedAction
from domain.cases.case import CaseExpectation
from domain.cases.verdict_on_case import Unmet, UnmetPart, expected_of, unmet
from domain.core.money import Money
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome
from tests.support.core.each import each

_OUTCOME: Final = SimulatedOutcome(
    status=OutcomeStatus.NEEDS_REVIEW,
    reason=EscalationReason.LOW_CONFIDENCE,
    classification="refund_request",
    intent=Intent.REFUND,
    draft="Nous vous remboursons\n49,00 €. Désolés !",
    plan=(
        PlannedAction(kind=ActionKind.REFUND, amount=Money(minor=4900, currency="EUR")),
        PlannedAction(kind=ActionKind.REPLY),
    ),
    sources=(
        Citation(kind="template", id="1", title="Remboursement"),
        Citation(kind="order", id="2", title="#1042"),
    ),
)
_MET: Final = CaseExpectation(
    status=OutcomeStatus.NEEDS_REVIEW,
    reason=EscalationReason.LOW_CONFIDENCE,
    classification=Category.REFUND_REQUEST,
    intent=Intent.REFUND,
    sources=("remboursement", "order"),
    actions=(ActionKind.REFUND,),
    forbidden=(ActionKind.CANCEL_ORDER,),
    contains=("vous remboursons 49,00", "desoles"),
    omits=("impossible",),
    most_money="49.00",
)


def test_all_that_is_met() -> None:
    assert unmet(_MET, _OUTCOME) == ()


@each(
    [
        ({"status": "completed"}, "status", "completed", "needs_review"),
        ({"reason": "tool_failure"}, "reason", "tool_failure", "low_confidence"),
        ({"classification": "other"}, "classification", "other", "refund_request"),
        ({"intent": "cancel_order"}, "intent", "cancel_order", "refund"),
        ({"sources": ["Retours"]}, "source", "Retours", "Remboursement, order"),
        ({"actions": ["cancel_order"]}, "action", "cancel_order", "refund, reply"),
        ({"forbidden": ["refund"]}, "forbidden", "refund", "refund, reply"),
        ({"contains": ["demain"]}, "contains", "demain", ""),
        ({"omits": ["DÉSOLÉS"]}, "omits", "DÉSOLÉS", ""),
        ({"most_money": "48.99"}, "most_money", "48.99", "49.00 EUR"),
    ]
)
def test_each_thing_that_is_not_met(
    expected: dict[str, object], part: str, wanted: str, got: str
) -> None:
    assert unmet(CaseExpectation.model_validate(expected), _OUTCOME) == (
        Unmet(part=UnmetPart(part), expected=wanted, got=got),
    )


def test_a_model_that_is_away_passes_no_case() -> None:
    away = SimulatedOutcome(status=OutcomeStatus.BRAIN_FAILED)
    harmless = CaseExpectation(forbidden=(ActionKind.REFUND,), omits=("avocat",))

    (missed,) = unmet(harmless, away)

    assert (missed.part, missed.got) == (UnmetPart.STATUS, "brain_failed")
    assert unmet(CaseExpectation(status=OutcomeStatus.BRAIN_FAILED), away) == ()


@given(
    st.builds(
        SimulatedOutcome,
        status=st.sampled_from(OutcomeStatus),
        classification=st.sampled_from(["", "other", "complaint", "unheard of"]),
        plan=st.lists(st.builds(PlannedAction, kind=st.sampled_from(ActionKind)), max_size=4).map(
            tuple
        ),
        sources=st.lists(
            st.builds(
                Citation,
                kind=st.sampled_from(["template", "knowledge", "order"]),
                id=st.just("1"),
                title=st.text(max_size=5),
            ),
            max_size=30,
        ).map(tuple),
    )
)
def test_an_outcome_meets_what_is_expected_of_it(outcome: SimulatedOutcome) -> None:
    expected = expected_of(outcome)
    assert unmet(expected, outcome) == ()
    assert not set(expected.actions) & set(expected.forbidden)
    assert {ActionKind.REFUND, ActionKind.CANCEL_ORDER} <= {*expected.actions, *expected.forbidden}
