"""Waiting for what another process or server does: asked again and again, never a fixed time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

_PAUSE_S = 0.02


async def eventually(ask: Callable[[], Awaitable[T | None]], seconds: float = 40) -> T:
    """The first answer that is neither None nor False. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while True:
            answer = await ask()
            if answer is not None and answer is not False:
                return answer
            await asyncio.sleep(_PAUSE_S)
