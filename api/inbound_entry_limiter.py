"""State shared by the inbound webhook routes of a process."""

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
# Bodies up to this size do not count toward the limit for large bodies. The edge limits the number
# of connections, and therefore also the memory for small bodies.
_NOT_COUNTED: Final = 64 * 1024


def body_room(in_all: int, of_one: int) -> FairRoom:
    """Return a limiter for the memory of large request bodies, in bytes: `in_all` for the process,
    and `of_one` for one caller."""
    return FairRoom(in_all=in_all, of_one=of_one, not_counted=_NOT_COUNTED, refusal=InboundBusy)


@dataclass(frozen=True, slots=True)
class InboundEntryLimiter:
    """Limits, lookups and rejection counts of the inbound webhook routes.

    `endpoints` looks up endpoints by the token's digest. `room` and `app_room` limit the memory of
    bodies for clients' endpoints and for the installation's public URLs.
    """

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
        """Return every integration that has credentials for this platform account."""
        async with self.database.unscoped() as connection:
            return await integrations_of_account(connection, provider, account, now)

    @asynccontextmanager
    async def counting(self) -> AsyncIterator[None]:
        """While the block runs, write rejection counts to the database periodically. Write the
        remaining counts when the block ends."""
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
            # With `shield`, a write in progress finishes even if the API stops.
            await asyncio.shield(asyncio.create_task(self.refusals.write()))
