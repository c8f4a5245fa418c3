"""The policy's check directly before an action, after a human approval."""

import pytest

from domain.agent.policy_context import Spent
from domain.agent.policy_decision import PolicyReason
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.integrations.order import Order, OrderState
from tests.support.agent.policy import CANCEL_49, REFUND, REFUND_49, rechecked
from tests.support.agent.policy_context import (
    LIMITS,
    NOW,
    an_order,
    with_rule,
)


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (an_order(), None),
        (an_order(owner="eve@example.com"), PolicyReason.NOT_THEIRS),
        (an_order(refundable=0), PolicyReason.NOTHING_TO_REFUND),
        (an_order(refundable=2_000), PolicyReason.AMOUNT_CHANGED),
        (an_order(refundable=5_000), PolicyReason.AMOUNT_CHANGED),
        (an_order(currency="USD"), PolicyReason.AMOUNT_CHANGED),
        (an_order().model_copy(update={"id": "order-2"}), PolicyReason.NOT_THEIRS),
        (an_order().model_copy(update={"integration_id": "other"}), PolicyReason.NOT_THEIRS),
    ],
)
@pytest.mark.parametrize("approvals", [0, 1, 2, 3])
def test_nobody_can_approve_another_order(
    order: Order, reason: PolicyReason | None, approvals: int
) -> None:
    assert rechecked(REFUND_49, order, approvals=approvals) is reason


def test_recheck_sees_what_happened_meanwhile() -> None:
    shipped = an_order(state=OrderState.SHIPPED)
    done = Spent(on_order=frozenset({REFUND}))

    assert rechecked(CANCEL_49, an_order()) is None
    assert rechecked(CANCEL_49, shipped, approvals=2) is PolicyReason.ORDER_STATE
    assert rechecked(REFUND_49, an_order(), spent=done, approvals=2) is PolicyReason.ALREADY_DONE
    assert rechecked(REFUND_49, an_order(), email=None, approvals=2) is PolicyReason.NOT_THEIRS
    assert (
        rechecked(REFUND_49, an_order(), rulebook=Rulebook(), approvals=2)
        is PolicyReason.LEVEL_NEVER
    )


@pytest.mark.parametrize(
    ("approvals", "reason"), [(0, PolicyReason.ABOVE_PER_DAY), (1, PolicyReason.ABOVE_PER_DAY),
                              (2, None)]
)  # fmt: skip
def test_two_people_stand_in_for_a_limit(approvals: int, reason: PolicyReason | None) -> None:
    spent = Spent(day=50_000)

    assert rechecked(REFUND_49, an_order(), spent=spent, approvals=approvals) is reason


def test_a_dispute_needs_one_person_and_a_told_order_is_for_nobody() -> None:
    disputed = an_order().model_copy(update={"is_disputed": True})
    told = an_order().model_copy(update={"told_at": NOW})

    assert rechecked(REFUND_49, disputed) is PolicyReason.ORDER_DISPUTED
    assert rechecked(CANCEL_49, disputed) is PolicyReason.ORDER_DISPUTED
    assert rechecked(REFUND_49, disputed, approvals=1) is None
    assert rechecked(REFUND_49, told, approvals=2) is PolicyReason.ORDER_NOT_LIVE


def test_an_order_of_the_same_number_elsewhere_needs_one_person() -> None:
    """A shop and its payment provider know the same purchase by one number."""
    spent = Spent(same_number=True)

    assert rechecked(REFUND_49, an_order(), spent=spent) is PolicyReason.SAME_NUMBER_DONE
    assert rechecked(CANCEL_49, an_order(), spent=spent) is PolicyReason.SAME_NUMBER_DONE
    assert rechecked(REFUND_49, an_order(), spent=spent, approvals=1) is None


def test_one_person_stands_in_for_the_level_and_the_time_it_took() -> None:
    human = with_rule(REFUND, ActionRule(level=ActionLevel.HUMAN_APPROVED, limits=LIMITS))

    assert rechecked(REFUND_49, an_order(), rulebook=human) is PolicyReason.LEVEL_HUMAN
    assert rechecked(REFUND_49, an_order(), rulebook=human, approvals=1) is None
    assert rechecked(REFUND_49, an_order(), days_later=40) is PolicyReason.ORDER_TOO_OLD
    assert rechecked(REFUND_49, an_order(), days_later=40, approvals=1) is None
