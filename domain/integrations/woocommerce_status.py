"""WooCommerce's order statuses, and the order states to which they map."""

from typing import Final

from domain.integrations.order import OrderState

TRASH: Final = "trash"
"""The status of a trashed order, which can be restored."""
# The standard statuses, and two that many shops add. WooCommerce does not track parcels, so a
# completed order counts as shipped.
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
    """Return the state of an order; `unknown` for a refunded order, whose parcel may be anywhere,
    and for custom statuses."""
    return _STATES.get(status.removeprefix("wc-"), OrderState.UNKNOWN)
