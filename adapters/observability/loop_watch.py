"""The watchdog of an event loop: how long it was held, by whatever ran on it."""

import time
from asyncio import AbstractEventLoop, TimerHandle, get_running_loop
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, Protocol

HOLD_S: Final = 0.05
"""Holds from here on are counted."""
# A hold that begins within a pause is seen shorter by what is left of it, by half of it on average.
# Each look wakes the process: a hundred a second take a hundredth of a processor.
_PAUSE_S: Final = 0.025

Cause = Literal["own", "other"]
"""`own`: the loop's thread itself worked as long as a hold. `other`: it worked less, and waited for
the processor, or for a call that blocks."""


class CountHolds(Protocol):
    def held(self, cause: Cause, seconds: float) -> None: ...


class _Watch:
    """A timer that comes back every `_PAUSE_S`, unless the loop is held."""

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
    """Count the holds of the running loop, for as long as the block runs."""
    watch = _Watch(get_running_loop(), count)
    try:
        yield
    finally:
        watch.end()
