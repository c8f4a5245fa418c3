"""The data request: a customer requests their stored data, either through the shop or by asking a
member of the client."""

from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

DUE_AFTER: Final = timedelta(days=30)
"""The deadline for delivering the data to the customer, counted from the request."""


class DataRequest(BaseModel):
    """A customer's data request. `integration_id` is the connection whose shop forwarded it, or
    None if a member opened it. `order_ids` are the platform's order ids. `fulfilled_by` is the
    member who delivered the data."""

    model_config = ConfigDict(frozen=True)

    id: str
    integration_id: str | None
    customer_email: str | None
    order_ids: tuple[str, ...]
    created_at: datetime
    due_at: datetime
    fulfilled_by: str | None
    fulfilled_at: datetime | None
