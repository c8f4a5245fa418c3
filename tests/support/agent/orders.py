"""An order, as a shop would return it."""

from datetime import UTC, datetime

from domain.core.money import Money
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider


def an_order(
    *,
    id: str = "1001",  # noqa: A002 - the field's name
    number: str = "1001",
    customer_email: str | None = "lea@example.com",
    state: OrderState = OrderState.OPEN,
    total: Money = Money(minor=4990, currency="EUR"),  # noqa: B008 - frozen
    refundable: Money | None = None,
) -> Order:
    """Return an order: paid, open and not refunded by default."""
    return Order(
        integration_id="i",
        provider=Provider.DEMO_SHOP,
        id=id,
        number=number,
        customer_email=customer_email,
        state=state,
        total=total,
        refundable=total if refundable is None else refundable,
        placed_at=datetime(2026, 3, 1, 10, tzinfo=UTC),
    )
