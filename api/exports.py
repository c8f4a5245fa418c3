"""Room for exports: so many at once in this process, on connections that nobody else needs."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from domain.core.ids import TenantId
from domain.exports.errors import ExportsBusy
from store.core.database import Database
from store.core.pools import EXPORTS
from store.core.snapshot import Snapshot

# A client whose readers are slow leaves room for others.
_OF_ONE_CLIENT: Final = 2
_PATIENCE_S: Final = 5.0


class Exports:
    def __init__(self, database_url: str, *, patience_s: float = _PATIENCE_S) -> None:
        self.database = Database(database_url, pool_size=EXPORTS)
        self._patience_s = patience_s
        self._under_way: Counter[TenantId] = Counter()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def snapshot(self, tenant: TenantId) -> AsyncIterator[Snapshot]:
        """A client's rows, once there is room: until then, nothing is held. Raises ExportsBusy,
        EngineUnavailable."""
        await self._wait_for_room(tenant)
        try:
            async with self.database.snapshot(tenant) as snapshot:
                yield snapshot
        finally:
            self._under_way[tenant] -= 1
            self._under_way += Counter()  # forgets those that have none
            async with self._changed:
                self._changed.notify_all()

    async def _wait_for_room(self, tenant: TenantId) -> None:
        try:
            async with asyncio.timeout(self._patience_s), self._changed:
                await self._changed.wait_for(lambda: self._has_room(tenant))
                self._under_way[tenant] += 1
        except TimeoutError:
            raise ExportsBusy from None

    def _has_room(self, tenant: TenantId) -> bool:
        return self._under_way.total() < EXPORTS and self._under_way[tenant] < _OF_ONE_CLIENT
