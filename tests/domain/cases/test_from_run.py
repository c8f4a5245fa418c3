"""A real run as a case: no personal data, a consistent made-up order, and unchanged results."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from domain.agent.brain import Category, Citation, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.cases.from_run import RunForCase, case_of, expected_of_run
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from domain.reviews.escalation import EscalationStatus
from domain.runs.run import RunStatus
from tests.support.core.each import each
from tests.support.intake.proof import proved

_AT: Final = datetime(2026, 11, 23, tzinfo=UTC)
_TOTAL: Final = Money(minor=4900, currency="EUR")
_ORDER: Final = Order(
    integration_id="i",
    provider=Provider.SHOPIFY,
    id="77",
    number="1042",
    customer_email="marie@x.fr",
    state=OrderState.SHIPPED,
    total=_TOTAL,
    refundable=_TOTAL,
    placed_at=_AT - timedelta(days=3),
    tracking_url="https://suivi.fr/ABC",
    items=("Robe",),
)
_RUN: Final = RunForCase(
    run_id="01J00000000000000000000042",
    event=UnifiedEvent(
        channel=Channel.SHOP,
        customer_email="marie@x.fr",
        proved=proved("marie@x.fr"),
        customer_name="Marie Dupont",
        subject="Commande 1042",
        text="Toujours rien pour la 1042 ! Marie, 06 12 34 56 78",
        order_numbers=("1042",),
        fields={"order_number": "1042", "locale": "fr", "customer_phone": "06 12 34 56 78"},
    ),
    event_type="shopify.ticket.created",
    source=None,
    received_at=_AT,
    turns=(
        Turn(author="customer", body="Où est ma commande #1042 ? Marie Dupont"),
        Turn(author="agent", body="Elle arrive."),
        Turn(author="human", body="Je regarde, Marie."),
    ),
    lookup=Lookup(state=LookupState.FOUND, order=_ORDER, number="1042"),
    status=RunStatus.NEEDS_REVIEW,
    classification=Category.SHIPPING_ISSUE,
    reason=EscalationReason.LOW_CONFIDENCE,
    citations=(Citation(kind="order", id="77", title="1042"),),
    actions=(ActionKind.REFUND, ActionKind.REPLY),
    decision=None,
)


def test_the_conversation_without_personal_data() -> None:
    case = case_of(_RUN)

    said = [(message.author, message.text) for message in case.scenario.messages]
    assert said == [
        ("customer", "Où est ma commande #7001 ? Camille Martin"),
        ("human", "Je regarde, Camille."),
        ("customer", "Toujours rien pour la 7001 ! Camille, 06 39 98 00 00"),
    ]
    assert case.scenario.order is not None
    assert (case.scenario.order.number, case.scenario.order.total) == ("7001", "49.00")
    assert case.scenario.order.placed_at is None
    assert case.scenario.subject == "Commande 7001"
    assert case.scenario.fields == {"locale": "fr"}
    written = case.model_dump_json()
    assert not [word for word in ("1042", "Dupont", "marie", "06 12", "ABC") if word in written]
    assert case_of(replace(_RUN, turns=())).scenario.order == case.scenario.order


def test_an_old_order_stays_old() -> None:
    old = _ORDER.model_copy(update={"placed_at": _AT - timedelta(days=40)})
    lookup = Lookup(state=LookupState.FOUND, order=old, number="1042")
    order = case_of(replace(_RUN, lookup=lookup)).scenario.order
    assert order is not None
    assert order.placed_at == old.placed_at


def test_a_message_without_words_is_no_case() -> None:
    with pytest.raises(InvalidInput):
        case_of(replace(_RUN, event=_RUN.event.model_copy(update={"text": " "})))


_REFUND: Final = ["refund", "reply"]
_NEITHER: Final = ["refund", "cancel_order"]


@each(
    [
        # decision, run status, review reason; expected status, actions, forbidden
        (None, "completed", None, "completed", _REFUND, ["cancel_order"]),
        (None, "needs_review", "low_confidence", "needs_review", [], _NEITHER),
        (None, "failed", None, None, [], _NEITHER),
        ("approved", "completed", "low_confidence", None, _REFUND, ["cancel_order"]),
        ("approved", "completed", "policy_restriction", "needs_review", _REFUND, ["cancel_order"]),
        ("edited", "completed", "missing_knowledge", "completed", _REFUND, ["cancel_order"]),
        ("edited", "completed", "policy_restriction", "needs_review", _REFUND, ["cancel_order"]),
        ("rejected", "needs_review", "low_confidence", "needs_review", [], _NEITHER),
        ("expired", "needs_review", "low_confidence", "needs_review", [], _NEITHER),
    ]
)
def test_what_stands_is_expected(
    decision: str | None,
    ended: str,
    reason: str | None,
    status: str | None,
    actions: list[str],
    forbidden: list[str],
) -> None:
    expected = expected_of_run(
        replace(
            _RUN,
            decision=None if decision is None else EscalationStatus(decision),
            status=RunStatus(ended),
            reason=None if reason is None else EscalationReason(reason),
        )
    )
    assert (expected.status, list(expected.actions)) == (status, actions)
    assert set(expected.forbidden) == set(forbidden)
    assert expected.classification is Category.SHIPPING_ISSUE
    assert expected.sources == (("order",) if actions and decision != "edited" else ())
