"""Fair queues for searches. A search reads all of a client's knowledge, or the messages of a
thousand of the client's conversations."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from domain.core.ids import TenantId
from services.core.fair_slots import FairSlots, Pays, all_pay
from services.core.fair_turns import FairTurns

_PATIENCE_S: Final = 10.0
# The number of concurrent searches in messages. Each of them occupies a connection for up to half a
# second. A part is kept for clients with a paid plan.
_SLOTS: Final = 3
_UNPAID: Final = 1


def search_turns() -> FairTurns:
    """Return a queue that all searches in a process share. It admits one search per client at a
    time."""
    return FairTurns(patience_s=_PATIENCE_S, most_of_one=16, most=128)


class MessageSearchTurns:
    """The queue of searches in conversations' messages.

    A search takes its client's turn in `searches`, and one of a few slots of the process. `pays`
    returns whether a client has a paid plan.
    """

    def __init__(
        self,
        searches: FairTurns,
        *,
        pays: Pays = all_pay,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._searches = searches
        self._pays = pays
        self._slots = FairSlots(_SLOTS, unpaid=_UNPAID, patience_s=patience_s)

    @asynccontextmanager
    async def turn(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait for the client's turn and a slot, and keep both while the block runs. Raises
        CallerBusy, EngineUnavailable."""
        async with (
            self._searches.turn(tenant),
            self._slots.slot(tenant, pays=await self._pays(tenant)),
        ):
            yield
