"""The order fact: what a shop's or a payment provider's webhook says of one order."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from domain.core.money import Money
from domain.integrations.order import OrderState


class OrderFact(BaseModel):
    """One order as of `version`, the platform's own time of the change. An older version than
    the one that is known changes nothing.

    None where this webhook does not say it: what was known stays. `order_id`: the platform's, as in
    `Order.id`. `number`: what customers call it, without "#". `refunded`: all that was given back
    so far. `is_disputed`: the customer's bank has taken the payment back or is asked to.
    `is_payment_failed`: the last try to pay failed.
    """

    model_config = ConfigDict(frozen=True)

    order_id: str
    version: datetime
    number: str | None = None
    customer_email: str | None = None
    state: OrderState | None = None
    total: Money | None = None
    refunded: Money | None = None
    placed_at: datetime | None = None
    tracking_url: str | None = None
    items: tuple[str, ...] | None = None
    is_disputed: bool | None = None
    is_payment_failed: bool | None = None
    is_deleted: bool = False
