"""A restartable timer that makes one delayed call for a connection."""

import asyncio
from collections.abc import Callable


class Timer:
    """A restartable timer that makes one delayed call. After the call, `is_set` stays True until
    `forget` is called."""

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self._loop = loop
        self._call = call
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        return self._handle is not None

    def set(self, seconds: float) -> None:
        """Start the timer for `seconds`. A running timer is cancelled first."""
        self.forget()
        self._handle = self._loop.call_later(seconds, self._call)

    def expect(self, seconds: float) -> None:
        """Start the timer for `seconds` unless it is already set."""
        if self._handle is None:
            self.set(seconds)

    def forget(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
