"""Gates: in this process, one at a time for each key, and the others wait outside.

A lock in PostgreSQL decides; whoever waits for it there holds a connection of the pool meanwhile,
and a flood of one key would hold them all. At the gate it holds none.
"""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from domain.core.errors import EngineUnavailable

K = TypeVar("K", bound=Hashable)


class Gate(Generic[K]):
    def __init__(self, *, patience_s: float) -> None:
        self._patience_s = patience_s
        self._locks: WeakValueDictionary[K, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def enter(self, key: K) -> AsyncIterator[None]:
        """Wait for the key's turn. Raises EngineUnavailable when the patience is over."""
        lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with asyncio.timeout(self._patience_s):
                await lock.acquire()
        except TimeoutError:
            raise EngineUnavailable("too many of one key wait at the gate") from None
        try:
            yield
        finally:
            lock.release()
