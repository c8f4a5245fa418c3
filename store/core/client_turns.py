"""How many connections of a pool one client has at once, so that none keeps those of all others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from domain.core.ids import TenantId


class ClientTurns:
    """`at_once`: connections of one client. Used by one event loop."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._turns: WeakValueDictionary[TenantId, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait, first come first served, until the client has fewer."""
        turns = self._turns.setdefault(tenant, asyncio.Semaphore(self._at_once))
        async with turns:
            yield
