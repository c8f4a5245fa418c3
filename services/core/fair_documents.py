"""Parse large documents fairly: at most one document per client is parsed at a time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from pydantic import JsonValue

from domain.core.document import Document, DocumentReader
from domain.core.ids import TenantId
from services.core.fair_slots import FairSlots, Pays, all_pay
from services.core.fair_turns import FairTurns

_PATIENCE_S: Final = 10.0
# The number of waiting callers is limited because each of them keeps the text of a document in
# memory.
_MOST_OF_ONE: Final = 8
_MOST: Final = 64
# The number of documents that are parsed concurrently. A part is kept for clients with a paid plan.
_SLOTS: Final = 2
_UNPAID: Final = 1


class FairDocuments:
    """A parser that handles each client's documents one at a time, so that a client's documents do
    not delay those of other clients. `pays` returns whether a client has a paid plan."""

    def __init__(
        self,
        reader: DocumentReader,
        *,
        pays: Pays = all_pay,
        most_of_one: int = _MOST_OF_ONE,
        most: int = _MOST,
    ) -> None:
        self._reader = reader
        self._pays = pays
        self._slots = FairSlots(_SLOTS, unpaid=_UNPAID, patience_s=_PATIENCE_S)
        self._turns = FairTurns(patience_s=_PATIENCE_S, most_of_one=most_of_one, most=most)

    async def read(self, tenant: TenantId, document: Document) -> JsonValue:
        """Parse a document and return the result, without waiting if it is small. Raises CallerBusy
        if too many callers are waiting, EngineUnavailable, and the parser's errors."""
        if not document.is_large:
            return await self._reader.read(document)
        async with (
            self.admitted(tenant),
            self._slots.slot(tenant, pays=await self._pays(tenant)),
        ):
            return await self._reader.read(document)

    @asynccontextmanager
    async def admitted(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait for the client's turn, and keep it while the block runs. Raises CallerBusy."""
        async with self._turns.turn(tenant):
            yield
