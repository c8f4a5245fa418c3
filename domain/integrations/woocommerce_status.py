"""WooCommerce's order statuses, and how far an order has come by them."""

from typing import Final

from domain.integrations.order import OrderState

TRASH: Final = "trash"
"""Of an order that was put into the bin, from where it can come back."""
# The usual ones, and two that many shops add. An order is completed when it has been sent:
# WooCommerce knows no parcels.
_STATES: Final = {
    "pending": OrderState.OPEN,
    "processing": OrderState.OPEN,
    "on-hold": OrderState.OPEN,
    "checkout-draft": OrderState.OPEN,
    "failed": OrderState.OPEN,
    "completed": OrderState.SHIPPED,
    "cancelled": OrderState.CANCELLED,
    "shipped": OrderState.SHIPPED,
    "delivered": OrderState.DELIVERED,
}


def state_in(status: str) -> OrderState:
    """The state; `unknown` for a refunded order, whose parcel may be anywhere, and for statuses of
    a shop's own."""
    return _STATES.get(status.removeprefix("wc-"), OrderState.UNKNOWN)
