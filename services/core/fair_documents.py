"""One admission for all documents: of each client one large document at a time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from pydantic import JsonValue

from domain.core.document import Document, DocumentReader
from domain.core.ids import TenantId
from services.core.fair_turns import FairTurns

_PATIENCE_S: Final = 10.0
# Each holds its text in memory while it waits.
_MOST_OF_ONE: Final = 8
_MOST: Final = 64


class FairDocuments:
    """A client that sends many documents delays its own."""

    def __init__(
        self, reader: DocumentReader, *, most_of_one: int = _MOST_OF_ONE, most: int = _MOST
    ) -> None:
        self._reader = reader
        self._turns = FairTurns(patience_s=_PATIENCE_S, most_of_one=most_of_one, most=most)

    async def read(self, tenant: TenantId, document: Document) -> JsonValue:
        """Return the value of a document. Nothing is awaited for a small one.

        Raises CallerBusy where too many wait, and what the reader raises.
        """
        if not document.is_large:
            return await self._reader.read(document)
        async with self.admitted(tenant):
            return await self._reader.read(document)

    @asynccontextmanager
    async def admitted(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait for the client's turn. Raises CallerBusy."""
        async with self._turns.turn(tenant):
            yield
