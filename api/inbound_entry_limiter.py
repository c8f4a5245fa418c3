"""State that the inbound webhook routes share within a process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.core.ports import Clock
from domain.inbound.endpoint import AccountOwner, OpenEndpoint
from domain.inbound.errors import InboundBusy
from domain.integrations.providers import Provider
from services.core.fair_room import FairRoom
from services.core.shared_reads import SharedReads
from services.inbound.receiving import ArrivalGates
from services.inbound.refusals import RefusalCounts
from store.core.database import Database
from store.inbound.endpoints import find_endpoint, integrations_of_account

_MEBIBYTE: Final = 1024 * 1024
# Small bodies are not counted: the edge limits the number of connections, and each may hold this
# much.
_NOT_COUNTED: Final = 64 * 1024


def body_room(in_all: int, of_one: int) -> FairRoom:
    """Return a limiter of the bytes of large bodies that the process holds at the same time."""
    return FairRoom(in_all=in_all, of_one=of_one, not_counted=_NOT_COUNTED, refusal=InboundBusy)


@dataclass(frozen=True, slots=True)
class InboundEntryLimiter:
    """`endpoints`: reads endpoints by the digest of the presented token. `room`: capacity for
    bodies to a client's endpoint. `app_room`: capacity for bodies to the installation's own
    addresses, which are publicly known."""

    database: Database
    endpoints: SharedReads[bytes, OpenEndpoint | None]
    room: FairRoom
    app_room: FairRoom
    gates: ArrivalGates
    refusals: RefusalCounts

    @classmethod
    def of(cls, database: Database, now: Clock) -> "InboundEntryLimiter":
        async def read(digest: bytes) -> OpenEndpoint | None:
            async with database.unscoped() as connection:
                return await find_endpoint(connection, digest, now())

        refusals = RefusalCounts(database)
        return cls(
            database,
            SharedReads(read),
            room=body_room(128 * _MEBIBYTE, 32 * _MEBIBYTE),
            app_room=body_room(32 * _MEBIBYTE, 8 * _MEBIBYTE),
            gates=ArrivalGates(),
            refusals=refusals,
        )

    async def owners(
        self, provider: Provider, account: str, now: datetime
    ) -> tuple[AccountOwner, ...]:
        """Return each connection whose credentials gave access to the account."""
        async with self.database.unscoped() as connection:
            return await integrations_of_account(connection, provider, account, now)

    @asynccontextmanager
    async def counting(self) -> AsyncIterator[None]:
        """Write refusal counts periodically while the block runs, and all remaining ones when it
        ends."""
        writing = asyncio.create_task(self._write())
        try:
            yield
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
            await self.refusals.write()

    async def _write(self) -> None:
        while True:
            await asyncio.sleep(self.refusals.written_every_s)
            # A write in progress finishes even when the API stops.
            await asyncio.shield(asyncio.create_task(self.refusals.write()))
