"""A fair queue for the connections of a full pool. The client that holds the fewest connections
gets the next free connection."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Final

from domain.core.ids import TenantId


class SharedWork(Enum):
    """Work that reads data of many clients and has its own queue for connections.

    A client's requests that wait for a lock do not delay it. The work itself limits its connections
    for one client.
    """

    WIDGET_STREAMS = "widget_streams"


_Holder = TenantId | SharedWork | None

# The connection slots that the current task holds. Any task that it starts while holding a slot
# inherits the slot.
_HELD: Final[ContextVar[frozenset[tuple["ClientTurns", _Holder]]]] = ContextVar("held turns")


class ClientTurns:
    """The connection slots of a pool, for one event loop.

    `places` is the number of connections. A client, or work that spans clients, holds at most
    `of_a_client`, so that requests waiting for a locked row leave slots for others. A free slot
    goes to the client with the fewest.
    """

    def __init__(self, places: int, of_a_client: int) -> None:
        self._free = places
        self._of_a_client = of_a_client
        self._held: Counter[_Holder] = Counter()
        self._waiting: dict[_Holder, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, of: TenantId | SharedWork | None) -> AsyncIterator[None]:
        """Hold a connection slot for `of` while the block runs: a client, a SharedWork, or None for
        other work that spans clients.

        Reentrant per client because tasks that hold one slot and wait for a second one could
        deadlock.
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
        except BaseException:
            # `cancel` removes the task from the queue. It has no effect if the slot was already
            # assigned. The slot must then be released.
            if not called.cancel() and not called.cancelled():
                self._give_back(of)
            raise

    def _give_back(self, of: _Holder) -> None:
        self._free += 1
        self._held[of] -= 1
        if not self._held[of]:
            del self._held[of]
        # If several clients hold the same number of slots, the least recently served client comes
        # first. The dict preserves this order.
        for one in sorted(self._waiting, key=lambda one: self._held[one]):
            if self._held[one] < self._of_a_client and self._call(one):
                return

    def _call(self, of: _Holder) -> bool:
        """Give a free slot to this client's first waiting task. Return False if none of the
        client's tasks is waiting."""
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
