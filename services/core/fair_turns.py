"""A fair queue. One caller per client runs at a time, and the number of waiting callers is
limited."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from services.core.fair_room import FairRoom
from services.core.gate import Gate


class FairTurns:
    """A queue that admits one caller per client at a time.

    `most_of_one` and `most` limit the running and waiting callers of one client and of all. At
    `most`, a client with fewer callers displaces a waiting caller of the client with the most.
    """

    def __init__(self, *, patience_s: float, most_of_one: int, most: int) -> None:
        self._gate: Gate[TenantId] = Gate(patience_s=patience_s, at_most=most_of_one)
        self._room = FairRoom(in_all=most, of_one=most_of_one)

    @asynccontextmanager
    async def turn(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait for the client's turn, and keep it while the block runs. Raises CallerBusy."""
        with self._room.place(tenant) as place:
            place.grow(1)
            async with AsyncExitStack() as inside:
                try:
                    async with asyncio.timeout(None) as wait:
                        place.may_give_way(lambda: wait.reschedule(0))
                        await inside.enter_async_context(self._gate.enter(tenant))
                        place.settle()
                except TimeoutError:
                    raise CallerBusy from None
                place.check_kept()
                yield
