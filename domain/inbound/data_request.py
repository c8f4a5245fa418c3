"""The data request: a shop's customer has requested their stored data."""

from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

DUE_AFTER: Final = timedelta(days=30)
"""The merchant's deadline for handing over the data."""


class DataRequest(BaseModel):
    """A customer's data request. `order_ids`: the platform's ids of the orders named in the
    request. `fulfilled_by`: the person who handed over the data, as named in the audit log."""

    model_config = ConfigDict(frozen=True)

    id: str
    integration_id: str
    customer_email: str | None
    order_ids: tuple[str, ...]
    created_at: datetime
    due_at: datetime
    fulfilled_by: str | None
    fulfilled_at: datetime | None
