"""The poll cursor: the position up to which a platform has been polled, to recover lost
webhooks."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class PollCursor(BaseModel):
    """The progress of polling. `position`: for each topic, the time or token up to which all data
    was read; empty before the first poll. `error_code`: why the last poll failed. `failures`: the
    number of consecutive failures."""

    model_config = ConfigDict(frozen=True)

    position: dict[str, str] = {}
    polled_at: datetime
    error_code: str | None = None
    failures: int = 0
