"""The API's shutdown: load balancers learn of it first, and no caller is cut off."""

import asyncio
import math
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

import uvicorn

_CLOSE: Final = (b"connection", b"close")
_LOOK_S: Final = 0.1


@dataclass(slots=True)
class Draining:
    """Whether this process is about to stop. The server sets it and `/readyz` reports it.
    `endless`: callbacks that end responses without an end of their own."""

    begun: bool = False
    endless: list[Callable[[], None]] = field(default_factory=list)

    def begin(self) -> None:
        self.begun = True
        for end in self.endless:
            end()


class DrainingServer(uvicorn.Server):
    """Ends in three steps: it drains, it accepts no more connections, it finishes the requests it
    has.

    SIGTERM comes from a supervisor that replaces the process: it drains for `drain_s` first. SIGINT
    comes from a person and skips that. A second signal cancels running requests, and their callers
    get an answer that says so. It depends on internals of uvicorn's class:
    `tests/e2e/core/test_draining.py` shows whether a new version fits.
    """

    def __init__(self, config: uvicorn.Config, draining: Draining, *, drain_s: float) -> None:
        super().__init__(config)
        self._draining = draining
        self._drain_s = drain_s
        self._accepts_until = math.inf
        self._at_once = False

    def handle_exit(self, sig: int, _: FrameType | None) -> None:
        # uvicorn's own would raise the signal again at the end, and the exit code would tell of a
        # failure.
        self._at_once = self.should_exit
        self.should_exit = True
        if sig == signal.SIGINT:
            self._drain_s = 0

    async def on_tick(self, counter: int) -> bool:
        asked = await super().on_tick(counter)
        if asked and not self._draining.begun:
            self._begin()
        return asked and (self._at_once or time.monotonic() >= self._accepts_until)

    def _begin(self) -> None:
        """Serve on as before, but let each connection end with its next answer."""
        self._draining.begin()
        self._accepts_until = time.monotonic() + self._drain_s
        self.config.encoded_headers.append(_CLOSE)
        self.server_state.default_headers = [*self.server_state.default_headers, _CLOSE]
        for connection in self.server_state.connections:
            # The newest request that was read; it has its headers already.
            if (newest := getattr(connection, "cycle", None)) is not None:
                newest.keep_alive = newest.keep_alive and newest.response_started

    async def _wait_tasks_to_complete(self) -> None:
        finishing = asyncio.ensure_future(super()._wait_tasks_to_complete())
        try:
            while not self._at_once and not finishing.done():
                await asyncio.wait({finishing}, timeout=_LOOK_S)
            if not finishing.done():
                raise TimeoutError  # uvicorn's sign that the grace period has ended
        finally:
            finishing.cancel()
