"""The poll cursor: how far a platform has been asked for what a lost webhook would have told."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class PollCursor(BaseModel):
    """`position`: by topic, the time or the token up to which all was read; empty before the first
    poll. `error_code`: why the last poll failed. `failures`: how many failed in a row."""

    model_config = ConfigDict(frozen=True)

    position: dict[str, str] = {}
    polled_at: datetime
    error_code: str | None = None
    failures: int = 0
