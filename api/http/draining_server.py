"""Graceful shutdown of the API. First, the process reports to load balancers that it is not ready.
Then running requests finish."""

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
    """State that shows whether this process is shutting down, set by the server and reported by
    `/readyz`. `endless` are callbacks that end open streams."""

    started: bool = False
    endless: list[Callable[[], None]] = field(default_factory=list)

    def begin(self) -> None:
        self.started = True
        for end in self.endless:
            end()


class DrainingServer(uvicorn.Server):
    """A server that shuts down in three steps: it drains, stops accepting connections, and finishes
    running requests.

    SIGTERM drains for `drain_s` seconds. SIGINT, from Ctrl-C, skips that. A second signal cancels
    running requests with an error response. This depends on internals of uvicorn, which
    `tests/e2e/core/test_draining.py` checks.
    """

    def __init__(self, config: uvicorn.Config, draining: Draining, *, drain_s: float) -> None:
        super().__init__(config)
        self._draining = draining
        self._drain_s = drain_s
        self._accepts_until = math.inf
        self._at_once = False

    def handle_exit(self, sig: int, _: FrameType | None) -> None:
        # At exit, uvicorn's handler would raise the signal again, and the exit code would report a
        # failure.
        self._at_once = self.should_exit
        self.should_exit = True
        if sig == signal.SIGINT:
            self._drain_s = 0

    async def on_tick(self, counter: int) -> bool:
        asked = await super().on_tick(counter)
        if asked and not self._draining.started:
            self._begin()
        return asked and (self._at_once or time.monotonic() >= self._accepts_until)

    def _begin(self) -> None:
        """Start draining: continue to serve requests, but close each connection after its next
        response."""
        self._draining.begin()
        self._accepts_until = time.monotonic() + self._drain_s
        self.config.encoded_headers.append(_CLOSE)
        self.server_state.default_headers = [*self.server_state.default_headers, _CLOSE]
        for connection in self.server_state.connections:
            # The request in progress was created with the old default headers, so disable
            # keep-alive on it directly.
            if (newest := getattr(connection, "cycle", None)) is not None:
                newest.keep_alive = newest.keep_alive and newest.response_started

    async def _wait_tasks_to_complete(self) -> None:
        finishing = asyncio.ensure_future(super()._wait_tasks_to_complete())
        try:
            while not self._at_once and not finishing.done():
                await asyncio.wait({finishing}, timeout=_LOOK_S)
            if not finishing.done():
                raise TimeoutError  # uvicorn treats TimeoutError as the end of the grace period.
        finally:
            finishing.cancel()
