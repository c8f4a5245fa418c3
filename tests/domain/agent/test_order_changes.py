"""An order after the actions executed since its lookup."""

import pytest

from domain.agent.order_changes import OrderChange, order_after
from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.integrations.order import OrderState
from tests.support.agent.orders import an_order

TOTAL = Money(minor=32_000, currency="EUR")


@pytest.mark.parametrize(
    ("changes", "state", "left"),
    [
        ([], OrderState.OPEN, 32_000),
        ([(ActionKind.REFUND, 32_000, "EUR")], OrderState.OPEN, 0),
        (
            [(ActionKind.REFUND, 2_000, "EUR"), (ActionKind.REFUND, 5_000, "EUR")],
            OrderState.OPEN,
            25_000,
        ),
        ([(ActionKind.REFUND, 40_000, "EUR")], OrderState.OPEN, 0),
        ([(ActionKind.REFUND, 2_000, "USD")], OrderState.OPEN, 32_000),
        ([(ActionKind.CANCEL_ORDER, 32_000, "EUR")], OrderState.CANCELLED, 0),
    ],
)
def test_what_is_left_to_refund(
    changes: list[tuple[ActionKind, int, str]], state: OrderState, left: int
) -> None:
    done = [
        OrderChange(action=action, amount=Money(minor=minor, currency=currency))
        for action, minor, currency in changes
    ]
    order = order_after(an_order(total=TOTAL), done)
    assert (order.state, order.refundable.minor) == (state, left)
    assert order.total == TOTAL
