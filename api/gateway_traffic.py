"""Makes long work yield to the gateway's requests."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Work that rests five times as long as it ran takes a sixth of the time.
_REST: Final = 5


class GatewayTraffic:
    """The events that this process is working on."""

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
        """Call this after each piece of work of some tens of milliseconds."""
        if self._under_way:
            await asyncio.sleep(worked_s * _REST)
