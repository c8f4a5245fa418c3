"""What makes long work give way to the gateway."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Resting five times as long as it worked, somebody takes a sixth of the time.
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
        """To be called after each piece of work, of tens of milliseconds."""
        if self._under_way:
            await asyncio.sleep(worked_s * _REST)
