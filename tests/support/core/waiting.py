"""Wait for other processes or servers by polling, instead of for a fixed time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

_SHORTEST_S, _LONGEST_S = 0.02, 0.1


async def eventually(ask: Callable[[], Awaitable[T | None]], seconds: float = 40) -> T:
    """Return the first result that is not None or False. Raises TimeoutError. Intervals grow,
    because polls cost CPU time."""
    clock = asyncio.get_running_loop().time
    started = clock()
    async with asyncio.timeout(seconds):
        while True:
            answer = await ask()
            if answer is not None and answer is not False:
                return answer
            waited = clock() - started
            await asyncio.sleep(min(max(waited / 10, _SHORTEST_S), _LONGEST_S))
