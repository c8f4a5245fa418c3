"""The order fact: data about one order, from a webhook or poll of a shop or payment provider."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from domain.core.money import Money
from domain.integrations.order import OrderState


class OrderFact(BaseModel):
    """The reported fields of one order as of `version`, the platform's time of the change.

    A field is None if the platform did not report it, and keeps its known value. Older facts have
    no effect. `order_id` is the platform's id, as in `Order.id`. The other fields are as in
    `Order`.
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
