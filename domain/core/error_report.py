"""The error report for operators: where an error occurred and what kind of error it was, never its
data.

A report excludes exception messages and local variables, because both may quote customer text and
callers' data.
"""

from datetime import datetime
from itertools import islice
from traceback import walk_tb
from types import TracebackType
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

MAX_EXCEPTIONS: Final = 10
MAX_FRAMES: Final = 30


class Frame(BaseModel):
    model_config = ConfigDict(frozen=True)

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}"


class RaisedException(BaseModel):
    """An exception without its message: the name of its type, and its last stack frames, outermost
    first."""

    model_config = ConfigDict(frozen=True)

    type: str
    frames: tuple[Frame, ...] = ()


class ErrorReport(BaseModel):
    """A report about 5xx responses of one kind, or an activity that failed unexpectedly.

    `occurrences` counts the errors, and all other fields describe the first one. `place` is a
    method and route template, an activity's name, or `edge`. `exceptions` starts with the raised
    one, followed by its causes.
    """

    model_config = ConfigDict(frozen=True)

    place: str
    code: str
    created_at: datetime
    request_id: str | None = None
    client_id: str | None = None
    event_id: str | None = None
    exceptions: tuple[RaisedException, ...] = ()
    occurrences: int = Field(default=1, ge=1)


def raised(error: BaseException) -> tuple[RaisedException, ...]:
    """Return the exception followed by its causes, without messages and values. At most
    MAX_EXCEPTIONS are returned."""
    found: list[RaisedException] = []
    seen: set[int] = set()
    waiting = [error]
    while waiting and len(found) < MAX_EXCEPTIONS:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        frames = _frames(current.__traceback__)
        found.append(RaisedException(type=type(current).__name__, frames=frames))
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        cause = current.__cause__
        if cause is None and not current.__suppress_context__:
            cause = current.__context__
        if cause is not None:
            waiting.append(cause)
    return tuple(found)


def _frames(traceback: TracebackType | None) -> tuple[Frame, ...]:
    places = [(frame.f_code, line) for frame, line in walk_tb(traceback)]
    return tuple(
        Frame(file=code.co_filename, line=line or 0, function=code.co_name)
        for code, line in islice(places, max(0, len(places) - MAX_FRAMES), None)
    )
