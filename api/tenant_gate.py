"""The gate: one admission at a time for each client in this process.

The account's lock in PostgreSQL decides; the gate only makes the others wait outside, where they
hold no connection of the pool. So a client that sends a thousand at once, or whose row somebody
keeps locked, does not stand in the way of the other clients.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from domain.errors import EngineUnavailable
from domain.ids import TenantId

_PATIENCE_S: Final = 4.0


class TenantGate:
    def __init__(self) -> None:
        self._locks: WeakValueDictionary[TenantId, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def enter(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait for the client's turn. Raises EngineUnavailable after 4 s."""
        lock = self._locks.setdefault(tenant, asyncio.Lock())
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await lock.acquire()
        except TimeoutError:
            raise EngineUnavailable("too many of this client wait to be admitted") from None
        try:
            yield
        finally:
            lock.release()
