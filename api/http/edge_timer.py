"""A timer of a connection: one call later on, unless it is called off before."""

import asyncio
from collections.abc import Callable


class Timer:
    """`is_set` from when it is set until it is forgotten, also once it has gone off."""

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self._loop = loop
        self._call = call
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        return self._handle is not None

    def set(self, seconds: float) -> None:
        """Restart the timer and cancel the previous one."""
        self.forget()
        self._handle = self._loop.call_later(seconds, self._call)

    def expect(self, seconds: float) -> None:
        """Begin, unless it is set: what it waits for began earlier."""
        if self._handle is None:
            self.set(seconds)

    def forget(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
