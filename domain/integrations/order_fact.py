"""The order fact: data about one order, from a webhook or poll of a shop or payment provider."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from domain.core.money import Money
from domain.integrations.order import OrderState


class OrderFact(BaseModel):
    """The reported fields of one order as of `version`, the platform's own time of the change.

    A fact that is older than the known fact has no effect. A field is None if the platform did not
    report it. The known value is then kept. `order_id`: the platform's id, as in `Order.id`.
    `number`: the number that customers use, without "#". `refunded`: the total refunded so far.
    `is_disputed`: the customer's bank has reversed the payment, or was asked to reverse it.
    `is_payment_failed`: the last payment attempt failed.
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
