"""A watchdog for an event loop. It measures how long the loop is blocked."""

import time
from asyncio import AbstractEventLoop, TimerHandle, get_running_loop
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, Protocol

HOLD_S: Final = 0.05
"""Minimum duration, in seconds, for a block of the event loop to be counted."""
# Pause between two checks, in seconds. A block is measured half a pause short on average. A hundred
# checks per second would use one percent of a CPU.
_PAUSE_S: Final = 0.025

Cause = Literal["own", "other"]
"""The cause of a block. `own`: the event loop's thread used the CPU for at least `HOLD_S`. `other`:
it waited for the CPU or for a blocking call."""


class CountHolds(Protocol):
    def held(self, cause: Cause, seconds: float) -> None: ...


class _Watch:
    """A timer that fires every `_PAUSE_S`, unless the loop is blocked."""

    def __init__(self, loop: AbstractEventLoop, count: CountHolds) -> None:
        self._loop = loop
        self._count = count
        self._seen, self._worked = time.monotonic(), time.thread_time()
        self._handle: TimerHandle = loop.call_later(_PAUSE_S, self._look)

    def end(self) -> None:
        self._handle.cancel()

    def _look(self) -> None:
        seen, worked = time.monotonic(), time.thread_time()
        held = seen - self._seen - _PAUSE_S / 2
        if held >= HOLD_S:
            own = worked - self._worked >= HOLD_S
            self._count.held("own" if own else "other", held)
        self._seen, self._worked = seen, worked
        self._handle = self._loop.call_later(_PAUSE_S, self._look)


@contextmanager
def watched_loop(count: CountHolds) -> Iterator[None]:
    """Count how often and how long the running event loop is blocked while the `with` block
    runs."""
    watch = _Watch(get_running_loop(), count)
    try:
        yield
    finally:
        watch.end()
