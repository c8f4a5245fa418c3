"""Pause long-running work while the process handles gateway requests."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# The length of a pause, as a multiple of the seconds worked before it. With pauses, the work takes
# up at most a sixth of the elapsed time.
_REST: Final = 5


class GatewayTraffic:
    """Counter of the gateway events that this process is currently handling."""

    def __init__(self) -> None:
        self._under_way = 0

    @contextmanager
    def event(self) -> Iterator[None]:
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    async def give_way(self, worked_s: float) -> None:
        """Pause, in proportion to `worked_s`, if gateway events are being handled. Call this after
        every few tens of milliseconds of work."""
        if self._under_way:
            await asyncio.sleep(worked_s * _REST)
