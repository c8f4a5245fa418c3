"""The data request: a customer has asked a shop for their stored data."""

from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

DUE_AFTER: Final = timedelta(days=30)
"""The merchant's time limit to answer."""


class DataRequest(BaseModel):
    """`order_ids`: the platform's ids of the orders that it named. `fulfilled_by`: the person who
    handed the data over, as named in the audit log."""

    model_config = ConfigDict(frozen=True)

    id: str
    integration_id: str
    customer_email: str | None
    order_ids: tuple[str, ...]
    created_at: datetime
    due_at: datetime
    fulfilled_by: str | None
    fulfilled_at: datetime | None
