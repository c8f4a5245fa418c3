"""The record of a run's model calls, so that a repeated attempt does not pay for them again."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class CallRecord(Protocol):
    """The recorded responses to a run's model calls. Neither method raises."""

    async def read(self, key: str) -> str | None:
        """Return the recorded response to the call with this key, or None."""

    async def keep(self, key: str, response: str) -> None:
        """Record a response before it is used."""


_current: ContextVar[CallRecord | None] = ContextVar("call_record", default=None)


@contextmanager
def recording(record: CallRecord) -> Iterator[None]:
    """Record the model calls within the `with` block in `record`."""
    token = _current.set(record)
    try:
        yield
    finally:
        _current.reset(token)


def call_record() -> CallRecord | None:
    """Return the record of the run in progress, or None outside a run."""
    return _current.get()
