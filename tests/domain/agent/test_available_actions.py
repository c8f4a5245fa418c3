"""The actions that the policy offers, and its reasons for refusals."""

from typing import Final

import pytest

from domain.agent.brain import Proposal
from domain.agent.plan import ActionKind
from domain.agent.policy import available_actions
from domain.agent.policy_context import PolicyContext, Spent
from domain.agent.policy_decision import PolicyReason, Ruling
from domain.agent.rulebook import Rulebook
from domain.core.money import Money
from domain.integrations.order import OrderState
from tests.support.agent.policy import (
    CANCEL,
    CANCEL_49,
    NOTE,
    REFUND,
    TAG,
    judged,
    kinds,
    rechecked,
    ruling,
)
from tests.support.agent.policy_context import (
    DESK,
    SHOP,
    a_situation,
    an_event,
    an_order,
)

ALL: Final = (CANCEL, REFUND, TAG, NOTE)


def test_everything_is_offered_to_a_verified_owner() -> None:
    offered = {action.kind: action for action in available_actions(a_situation())}

    assert set(offered) == set(ALL)
    for kind in (REFUND, CANCEL):
        assert offered[kind].order_id == "order-1"
        assert offered[kind].integration_id == "shop"
        assert offered[kind].amount == Money(minor=4_990, currency="EUR")
    assert (offered[TAG].ticket_id, offered[TAG].integration_id) == ("T-1", "desk")
    assert offered[TAG].tags == ("refund", "late")


@pytest.mark.parametrize(
    ("policy_context", "kind", "reason"),
    [
        (a_situation(unsafe=True), REFUND, PolicyReason.UNSAFE_INPUT),
        (a_situation(unsafe=True), TAG, PolicyReason.UNSAFE_INPUT),
        (a_situation(event=an_event(verified=False)), REFUND, PolicyReason.NOT_THEIRS),
        (a_situation(event=an_event(email="eve@example.com")), CANCEL, PolicyReason.NOT_THEIRS),
        (a_situation(event=an_event(email=None)), REFUND, PolicyReason.NOT_THEIRS),
        (a_situation(order=an_order(owner=None)), REFUND, PolicyReason.NOT_THEIRS),
        (a_situation(event=an_event(reply_allowed=False)), REFUND, PolicyReason.NOT_OFFERED),
        (a_situation(event=an_event(reply_allowed=False)), TAG, PolicyReason.NOT_OFFERED),
        (a_situation(connections=(DESK,)), REFUND, PolicyReason.NOT_OFFERED),
        (a_situation(connections=(SHOP,)), NOTE, PolicyReason.NOT_OFFERED),
        (a_situation(event=an_event(platform="gorgias")), TAG, PolicyReason.NOT_OFFERED),
        (a_situation(event=an_event(named=False)), NOTE, PolicyReason.NOT_OFFERED),
        (a_situation(order=an_order(refundable=0)), REFUND, PolicyReason.NOTHING_TO_REFUND),
        (a_situation(order=an_order(state=OrderState.SHIPPED)), CANCEL, PolicyReason.ORDER_STATE),
        (a_situation(order=an_order(days_old=30.01)), REFUND, PolicyReason.ORDER_TOO_OLD),
        (a_situation(rulebook=Rulebook()), REFUND, PolicyReason.LEVEL_NEVER),
        (a_situation(rulebook=Rulebook()), NOTE, PolicyReason.LEVEL_NEVER),
        (a_situation(), ActionKind.REPLY, PolicyReason.NOT_OFFERED),
    ],
)
def test_what_is_not_offered_is_refused_with_its_reason(
    policy_context: PolicyContext, kind: ActionKind, reason: PolicyReason
) -> None:
    assert kind not in kinds(available_actions(policy_context))
    judgement = judged(policy_context, Proposal(kind=kind, text="a note", tags=("late",)))

    refused = [verdict for verdict in judgement.verdicts if verdict.ruling is Ruling.REFUSED]
    assert [(verdict.kind, verdict.reason) for verdict in refused] == [(kind, reason)]
    assert kind not in kinds(judgement.plan) or kind is ActionKind.REPLY
    assert judgement.refused
    assert judgement.doubt is not None


def test_what_nobody_knows_the_state_of_is_not_cancelled() -> None:
    """Stripe does not know shipments, and its connector refuses every cancellation."""
    paid = an_order(state=OrderState.UNKNOWN)

    assert kinds(available_actions(a_situation(order=paid, connections=(SHOP,)))) == [REFUND]
    assert ruling(judged(a_situation(order=paid), CANCEL), CANCEL) == (
        Ruling.REFUSED, PolicyReason.ORDER_STATE,
    )  # fmt: skip
    assert rechecked(CANCEL_49, paid) is PolicyReason.ORDER_STATE


def test_no_order_no_action_on_orders() -> None:
    policy_context = a_situation().model_copy(update={"order": None})

    assert kinds(available_actions(policy_context)) == [TAG, NOTE]
    assert ruling(judged(policy_context, REFUND), REFUND) == (
        Ruling.REFUSED, PolicyReason.NOT_OFFERED,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "refundable", "offered"),
    [
        (OrderState.OPEN, 100, [CANCEL, REFUND]),
        (OrderState.OPEN, 0, [CANCEL]),
        (OrderState.SHIPPED, 100, [REFUND]),
        (OrderState.DELIVERED, 100, [REFUND]),
        (OrderState.CANCELLED, 100, [REFUND]),
        (OrderState.CANCELLED, 0, []),
    ],
)
def test_what_an_orders_state_allows(
    state: OrderState, refundable: int, offered: list[ActionKind]
) -> None:
    policy_context = a_situation(
        order=an_order(state=state, refundable=refundable), connections=(SHOP,)
    )

    assert kinds(available_actions(policy_context)) == offered


@pytest.mark.parametrize("before", [REFUND, CANCEL])
def test_an_order_is_acted_upon_once(before: ActionKind) -> None:
    """A refund with an unknown outcome must not be followed by a cancellation that refunds."""
    spent = Spent(on_order=frozenset({before}))
    policy_context = a_situation().model_copy(update={"spent": spent})

    assert kinds(available_actions(policy_context)) == [TAG, NOTE]
    assert ruling(judged(policy_context, REFUND), REFUND)[1] is PolicyReason.ALREADY_DONE
