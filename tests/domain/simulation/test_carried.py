"""What a simulated message passes to the next one."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy_context import Spent
from domain.agent.thread import Thread
from domain.core.money import Money
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.runs.conversation import MAX_TURN_CHARS, MAX_TURNS
from domain.simulation.carried import Carried
from domain.simulation.made_up import event_of, looked_up, order_of
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome
from domain.simulation.scenario import (
    Scenario,
    ScenarioCustomer,
    ScenarioMessage,
    ScenarioOrder,
)
from tests.support.intake.proof import proved

_NOW = datetime(2026, 11, 23, tzinfo=UTC)
_SCENARIO = Scenario(
    messages=(ScenarioMessage(text="Bonjour"),),
    customer=ScenarioCustomer(email="lea@example.com", name="Léa"),
    order=ScenarioOrder(number="#1042", total="49.00", refundable="30.00"),
    fields={"order_ref": "A-1", "customer_verified": "yes"},
)


def _made_up() -> Order:
    order = order_of(_SCENARIO, _NOW)
    assert order is not None
    return order


_ORDER = _made_up()
_FOUND = Lookup(state=LookupState.FOUND, order=_ORDER, number="1042")
_SETTLED = Thread(asked_number=ActionKind.REFUND, order_number="1042")


def _event(text: str, channel: Channel = Channel.API) -> UnifiedEvent:
    return UnifiedEvent(
        channel=channel, text=text, customer_email="lea@example.com", order_number="1042",
        order_numbers=("1042",), proved=proved("lea@example.com"), is_vouched=True,
    )  # fmt: skip


def _outcome(
    status: OutcomeStatus = OutcomeStatus.COMPLETED,
    response: str = "Bien sûr.",
    *kinds: ActionKind,
    reason: EscalationReason | None = None,
) -> SimulatedOutcome:
    amount = Money(minor=3_000, currency="EUR")
    return SimulatedOutcome(
        status=status,
        reason=reason,
        classification="refund_request",
        response=response,
        plan=tuple(PlannedAction(kind=kind, amount=amount) for kind in kinds),
        lookup=_FOUND,
    )


_WAITS = _outcome(OutcomeStatus.NEEDS_REVIEW, "", reason=EscalationReason.LOW_CONFIDENCE)


@given(
    st.lists(st.tuples(st.text(max_size=3_000), st.sampled_from([_outcome(), _WAITS])), max_size=15)
)
def test_turns_are_those_of_a_run(said: list[tuple[str, SimulatedOutcome]]) -> None:
    """The same number and length, and none is empty."""
    carried = Carried()
    for text, outcome in said:
        carried = carried.after(_event(text), outcome, _SETTLED, _NOW)

    assert len(carried.turns) <= MAX_TURNS
    assert all(0 < len(turn.body) <= MAX_TURN_CHARS for turn in carried.turns)
    assert carried.answers == sum(bool(outcome.response) for _, outcome in said)


def test_a_question_is_open_only_once_the_customer_has_it() -> None:
    sent = Carried().after(_event("Bonjour"), _outcome(), _SETTLED, _NOW)
    kept = Carried().after(_event("Bonjour"), _WAITS, _SETTLED, _NOW)
    by_person = sent.answered_by_person("Je regarde.")

    assert sent.thread == _SETTLED
    assert kept.thread == _SETTLED.without_question
    assert by_person.thread == _SETTLED.without_question
    assert [turn.author for turn in by_person.turns] == ["customer", "agent", "human"]


def test_people_hold_the_conversation_until_one_answers() -> None:
    kept = Carried().after(_event("Bonjour"), _WAITS, _SETTLED, _NOW)

    held = _outcome().held_for(kept.held)

    assert kept.held is EscalationReason.LOW_CONFIDENCE
    assert (held.status, held.held, held.response) == (OutcomeStatus.NEEDS_REVIEW, True, "")
    assert kept.answered_by_person("Bonjour.").held is None
    for other in (OutcomeStatus.NO_PLAYBOOK, OutcomeStatus.BRAIN_FAILED):
        assert not SimulatedOutcome(status=other).held_for(kept.held).held


def test_what_was_done_to_the_order_counts_for_the_next_message() -> None:
    refunded = Carried().after(
        _event("Oui"), _outcome(OutcomeStatus.COMPLETED, "Fait.", ActionKind.REFUND), Thread(), _NOW
    )
    cancelled = Carried().after(
        _event("Oui"),
        _outcome(OutcomeStatus.COMPLETED, "Fait.", ActionKind.CANCEL_ORDER),
        Thread(),
        _NOW,
    )

    after = refunded.of(_FOUND)
    assert after is not None
    assert after.order is not None
    assert after.order.refundable.minor == 0
    spent = refunded.spent(_ORDER, Spent(customer=100, day=200))
    assert spent == Spent(customer=3_100, day=3_200, on_order=frozenset({ActionKind.REFUND}))
    assert "refund of 30.00 EUR done, answered" in refunded.summary
    gone = cancelled.of(_FOUND)
    assert gone is not None
    assert gone.order is not None
    assert gone.order.state is OrderState.CANCELLED
    waits = Carried().after(
        _event("Oui"),
        _outcome(OutcomeStatus.NEEDS_REVIEW, "", ActionKind.REFUND),
        Thread(),
        _NOW,
    )
    assert waits.of(_FOUND) == _FOUND
    assert "waiting for a human" in waits.summary


def test_answers_run_out_as_in_a_thread() -> None:
    carried = Carried().after(_event("a", Channel.EMAIL), _outcome(), Thread(), _NOW)
    in_chat = Carried().after(_event("a", Channel.WIDGET), _outcome(), Thread(), _NOW)

    assert carried.turns_left(10, 1) == 0
    assert in_chat.turns_left(10, 1) == 1
    assert carried.answered_by_person("b").turns_left(10, 1) == 1


def test_the_made_up_event_and_order() -> None:
    event = event_of(_SCENARIO, "Bonjour")

    assert event.payload == {
        "order_ref": "A-1", "customer_name": "Léa", "customer_verified": True
    }  # fmt: skip
    assert (_ORDER.number, _ORDER.customer_email) == ("1042", "lea@example.com")
    assert (_ORDER.total.minor, _ORDER.refundable.minor) == (4_900, 3_000)
    found = looked_up(_ORDER, _event("Ma commande 1042"), Thread())
    assert found is not None
    assert found.state is LookupState.FOUND
    other = _event("Ma commande 7").model_copy(
        update={"order_number": "7", "order_numbers": ("7",)}
    )
    missing = looked_up(_ORDER, other, Thread())
    assert missing is not None
    assert missing.state is LookupState.NOT_FOUND
    nobody = _event("Ma commande 1042").model_copy(update={"proved": None})
    assert looked_up(_ORDER, nobody, Thread()) is None
