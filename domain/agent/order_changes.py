"""An order after the actions that were executed on it since it was looked up."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ACTIONS, ActionKind
from domain.core.money import Money
from domain.integrations.order import Order


class OrderChange(BaseModel):
    """An action executed on an order. `amount` is the refunded amount, or None."""

    model_config = ConfigDict(frozen=True)

    action: ActionKind
    amount: Money | None


def order_after(order: Order, changes: Iterable[OrderChange]) -> Order:
    """Return the order with its state and its refundable amount after the changes.

    An amount in a currency other than the order's currency does not change the refundable amount.
    """
    for change in changes:
        left_in = ACTIONS[change.action].leaves
        if left_in is not None:
            order = order.model_copy(update={"state": left_in})
        given = change.amount
        if given is not None and given.currency == order.refundable.currency:
            left = max(0, order.refundable.minor - given.minor)
            order = order.model_copy(
                update={"refundable": Money(minor=left, currency=given.currency)}
            )
    return order
