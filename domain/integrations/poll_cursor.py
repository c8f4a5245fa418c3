"""The poll cursor: the progress of polling a platform for data that was missing because of lost
webhooks."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class PollCursor(BaseModel):
    """The progress of polling one connection. `position` maps a topic to the time or token up to
    which data was read. `failures` counts consecutive failed polls."""

    model_config = ConfigDict(frozen=True)

    position: dict[str, str] = {}
    polled_at: datetime
    error_code: str | None = None
    failures: int = 0
