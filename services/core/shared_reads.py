"""Database reads whose results are shared by concurrent callers with the same key."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from domain.core.errors import EngineUnavailable

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SharedReads(Generic[K, V]):
    """Database reads that are shared among callers. Callers that arrive during a read of their key
    share the next one.

    Each read starts after its callers have arrived, so it includes everything committed before.
    """

    def __init__(self, read: Callable[[K], Awaitable[V]]) -> None:
        self._read = read
        self._running: dict[K, asyncio.Future[None]] = {}
        self._next: dict[K, asyncio.Task[V]] = {}

    async def get(self, key: K) -> V:
        """Read the value for a key, or share another caller's read. Raises the errors of the read.

        After EngineUnavailable, the waiting callers get the same error without another read.
        """
        running = self._running.get(key)
        if running is None:
            return await self._take_turn(key)
        shared = self._next.get(key)
        if shared is None:
            shared = self._next[key] = asyncio.create_task(self._follow(running, key))
        # One caller may be cancelled while others still need the result.
        return await asyncio.shield(shared)

    async def _follow(self, running: "asyncio.Future[None]", key: K) -> V:
        try:
            await running
        finally:
            del self._next[key]
        return await self._take_turn(key)

    async def _take_turn(self, key: K) -> V:
        ended = self._running[key] = asyncio.get_running_loop().create_future()
        try:
            value = await self._read(key)
        except EngineUnavailable as away:
            ended.set_exception(away)
            ended.exception()  # This call prevents asyncio's warning if no caller is waiting.
            raise
        finally:
            if self._running.get(key) is ended:
                del self._running[key]
            if not ended.done():
                ended.set_result(None)
        return value
