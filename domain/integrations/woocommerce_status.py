"""Map WooCommerce's order statuses to order states."""

from typing import Final

from domain.integrations.order import OrderState

TRASH: Final = "trash"
"""The status of an order in WooCommerce's trash, from which the order can be restored."""
# The standard statuses, and two statuses that many shops add. WooCommerce does not track parcels,
# so a completed order counts as shipped.
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
    """Return the order state for a WooCommerce status. Custom statuses are `unknown`. So is a
    refunded order, which may or may not have shipped."""
    return _STATES.get(status.removeprefix("wc-"), OrderState.UNKNOWN)
