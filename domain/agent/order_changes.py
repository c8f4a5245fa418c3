"""An order after the actions that were executed on it since it was looked up."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.integrations.order import Order, OrderState


class OrderChange(BaseModel):
    """An action that was executed on an order. `amount`: the amount refunded, or None."""

    model_config = ConfigDict(frozen=True)

    action: ActionKind
    amount: Money | None


def order_after(order: Order, changes: Iterable[OrderChange]) -> Order:
    """Return the order with its state and its refundable amount after the changes.

    An amount in another currency than the order's does not change the refundable amount.
    """
    for change in changes:
        if change.action is ActionKind.CANCEL_ORDER:
            order = order.model_copy(update={"state": OrderState.CANCELLED})
        given = change.amount
        if given is not None and given.currency == order.refundable.currency:
            left = max(0, order.refundable.minor - given.minor)
            order = order.model_copy(
                update={"refundable": Money(minor=left, currency=given.currency)}
            )
    return order
