"""The data request: a customer requests the data stored about them, through a shop or by asking a
member of the client."""

from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

DUE_AFTER: Final = timedelta(days=30)
"""The time within which the merchant must deliver the data to the customer."""


class DataRequest(BaseModel):
    """A customer's data request. `integration_id`: the connection whose shop forwarded the request,
    or None if a member opened it. `order_ids`: the platform's ids of the orders named in the
    request. `fulfilled_by`: the member who delivered the data, as named in the audit log."""

    model_config = ConfigDict(frozen=True)

    id: str
    integration_id: str | None
    customer_email: str | None
    order_ids: tuple[str, ...]
    created_at: datetime
    due_at: datetime
    fulfilled_by: str | None
    fulfilled_at: datetime | None
