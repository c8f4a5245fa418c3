"""The order in which clients get a connection of a full pool: fewest held connections first."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Final

from domain.core.ids import TenantId


class SharedWork(Enum):
    """Work that reads for many clients and waits in a line of its own. A client's other requests,
    which may wait for a lock, do not delay it. The work itself limits its connections."""

    WIDGET_STREAMS = "widget_streams"


_Holder = TenantId | SharedWork | None

# The places held by the current task; tasks that it starts meanwhile inherit them.
_HELD: Final[ContextVar[frozenset[tuple["ClientTurns", _Holder]]]] = ContextVar("held turns")


class ClientTurns:
    """The places of a pool, for one event loop.

    `places`: the connections of the pool. `of_a_client`: the most that one client holds, and the
    most that work across clients holds. So a client whose requests wait for a locked row leaves
    some to others. A client with a long queue waits behind each client with a short one.
    """

    def __init__(self, places: int, of_a_client: int) -> None:
        self._free = places
        self._of_a_client = of_a_client
        self._held: Counter[_Holder] = Counter()
        self._waiting: dict[_Holder, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, of: TenantId | SharedWork | None) -> AsyncIterator[None]:
        """Hold a place. `of`: the client, or None for other work that spans clients.

        A task that has a place of the client already takes no second one: such tasks would wait for
        one another.
        """
        held, own = _HELD.get(frozenset()), (self, of)
        if own in held:
            yield
            return
        await self._take(of)
        _HELD.set(held | {own})
        try:
            yield
        finally:
            _HELD.set(held)
            self._give_back(of)

    async def _take(self, of: _Holder) -> None:
        if self._free and self._held[of] < self._of_a_client:
            self._free -= 1
            self._held[of] += 1
            return
        called = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(of, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():  # its turn came at the same time
                self._give_back(of)
            raise

    def _give_back(self, of: _Holder) -> None:
        self._free += 1
        self._held[of] -= 1
        if not self._held[of]:
            del self._held[of]
        # Ties go to the queue that was served least recently, by the dict's order.
        for one in sorted(self._waiting, key=lambda one: self._held[one]):
            if self._held[one] < self._of_a_client and self._call(one):
                return

    def _call(self, of: _Holder) -> bool:
        """Give the place to the first waiting task of the queue. Return False if there is none."""
        line = self._waiting.pop(of)
        while line:
            called = line.popleft()
            if called.cancelled():
                continue
            if line:
                self._waiting[of] = line
            self._free -= 1
            self._held[of] += 1
            called.set_result(None)
            return True
        return False
