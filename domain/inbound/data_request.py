"""The data request: a customer who asked a shop for what is kept of them."""

from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

DUE_AFTER: Final = timedelta(days=30)
"""The time that the merchant has to answer."""


class DataRequest(BaseModel):
    """`order_ids`: those that the platform named, its own. `fulfilled_by`: who handed the data
    over, as the audit log names people."""

    model_config = ConfigDict(frozen=True)

    id: str
    integration_id: str
    customer_email: str | None
    order_ids: tuple[str, ...]
    created_at: datetime
    due_at: datetime
    fulfilled_by: str | None
    fulfilled_at: datetime | None
