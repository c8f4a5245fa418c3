"""Parse a line of a JSON Lines file as an event from the engine's first version."""

import math
from datetime import datetime
from typing import Annotated, Any, Final, Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from domain.core.errors import InvalidInput

MAX_LINE_BYTES: Final = 1 << 20

_TOO_LARGE: Final = 2**63

_Text = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"\A[^\x00]*\z")]


class Lines(Protocol):
    """A binary file that is read line by line."""

    def readline(self, limit: int = -1, /) -> bytes: ...


class LegacyEvent(BaseModel):
    """An event on a line of the file. Without an `id`, importing it twice creates a duplicate."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\A[!-~]+\z")] | None = None
    event_type: _Text
    source: _Text | None = None
    status: _Text | None = None
    customer_email: _Text | None = None
    payload: dict[str, JsonValue] = {}
    created_at: AwareDatetime


class StoredLegacyEvent(BaseModel):
    """An event as stored in the database, without its payload."""

    model_config = ConfigDict(frozen=True)

    id: str
    event_type: str
    source: str | None
    status: str | None
    customer_email: str | None
    created_at: datetime


def parse_line(line: bytes, number: int) -> LegacyEvent:
    """Parse line `number`, counted from 1. Raises InvalidInput with the line number and field,
    without quoting the line."""
    if len(line) > MAX_LINE_BYTES:
        raise InvalidInput(f"line {number}: longer than {MAX_LINE_BYTES} bytes")
    try:
        event = LegacyEvent.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        # The message names only the first level of the location because deeper names come from the
        # payload.
        field = f"{first['loc'][0]}: " if first["loc"] else ""
        raise InvalidInput(f"line {number}: {field}{first['msg']}") from None
    if not _can_be_stored(event.payload):
        raise InvalidInput(
            f"line {number}: payload: holds the character NUL, or a number that is too large"
        )
    return event


def _can_be_stored(value: Any) -> bool:
    """Return True if PostgreSQL can store a JSON value: it has no NUL characters, its numbers are
    finite, and its integers fit in 64 bits."""
    if isinstance(value, dict):
        return all("\0" not in name and _can_be_stored(one) for name, one in value.items())
    if isinstance(value, list):
        return all(map(_can_be_stored, value))
    if isinstance(value, int):
        return abs(value) < _TOO_LARGE
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, str) or "\0" not in value
