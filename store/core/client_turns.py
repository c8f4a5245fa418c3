"""How many connections of a pool one client has at once, so that none keeps those of all others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final
from weakref import WeakValueDictionary

from domain.core.ids import TenantId

# Of the task that asks, and of those that it has started meanwhile.
_HELD: Final[ContextVar[frozenset[asyncio.Semaphore]]] = ContextVar("held turns")


class ClientTurns:
    """`at_once`: connections of one client. Used by one event loop."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._turns: WeakValueDictionary[TenantId, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait, first come first served, until the client has fewer. Whoever has one already does
        not wait: such tasks would wait for one another."""
        turns = self._turns.setdefault(tenant, asyncio.Semaphore(self._at_once))
        held = _HELD.get(frozenset())
        if turns in held:
            yield
            return
        async with turns:
            _HELD.set(held | {turns})
            try:
                yield
            finally:
                _HELD.set(held)
