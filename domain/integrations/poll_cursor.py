"""The poll cursor: the progress of polling a platform for data that was missing because of lost
webhooks."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class PollCursor(BaseModel):
    """The progress of polling one connection. `position`: for each topic, the time or token up to
    which all data was read. It is empty before the first poll. `error_code`: the error code of the
    last poll if it failed. `failures`: the number of consecutive failed polls."""

    model_config = ConfigDict(frozen=True)

    position: dict[str, str] = {}
    polled_at: datetime
    error_code: str | None = None
    failures: int = 0
