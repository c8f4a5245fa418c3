"""Export slots, which limit a process's concurrent exports on a separate connection pool.

A client holds at most one. Clients without a paid plan hold at most _UNPAID in total. When all are
occupied, a waiting client takes over the slot of a reader slower than _PACE.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from domain.core.ids import TenantId
from domain.exports.errors import ExportsBusy
from store.core.database import Database
from store.core.pools import EXPORTS
from store.core.snapshot import Snapshot

_UNPAID: Final = EXPORTS // 2
_PATIENCE_S: Final = 5.0

_PACE: Final = 128 * 1024
"""Minimum read rate of a reader, in bytes per second."""

_SLOW_AFTER_S: Final = 5.0
"""Seconds that a reader may lag behind _PACE before it can lose its slot."""


class ExportPlace:
    """The slot of one export, with its reader's lag behind the minimum rate. PostgreSQL's time does
    not count."""

    def __init__(self, tenant: TenantId) -> None:
        self.tenant: Final = tenant
        self.pays = False
        self.lost = asyncio.Event()
        """Set when the slot is reassigned to a waiting client."""
        self._behind_s = 0.0
        self._sending_since: float | None = None

    @contextmanager
    def sending(self, size: int) -> Iterator[None]:
        """Measure how long the reader takes to receive `size` bytes while the block runs."""
        self._sending_since = time.monotonic()
        try:
            yield
            # Never go below zero: reading fast at first gives no credit for reading slowly later,
            # because network buffers accept megabytes immediately.
            self._behind_s = max(0.0, self.behind_s - size / _PACE)
        finally:
            self._sending_since = None

    @property
    def behind_s(self) -> float:
        since = self._sending_since
        return self._behind_s + (0.0 if since is None else time.monotonic() - since)


class Exports:
    def __init__(
        self,
        database_url: str,
        *,
        patience_s: float = _PATIENCE_S,
        slow_after_s: float = _SLOW_AFTER_S,
    ) -> None:
        self.database = Database(database_url, pool_size=EXPORTS)
        self._patience_s = patience_s
        self._slow_after_s = slow_after_s
        self._places: list[ExportPlace] = []
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def snapshot(self, place: ExportPlace, *, pays: bool) -> AsyncIterator[Snapshot]:
        """Yield a snapshot of a client's rows once a slot is free. Waiting occupies no database
        connection. `pays` means that the client has a paid plan. Raises ExportsBusy,
        EngineUnavailable."""
        place.pays = pays
        await self._take(place)
        try:
            async with self.database.snapshot(place.tenant) as snapshot:
                yield snapshot
        finally:
            self._places.remove(place)
            async with self._changed:
                self._changed.notify_all()

    async def _take(self, place: ExportPlace) -> None:
        if await self._finds_room(place):
            return
        slowest = self._slowest_before(place)
        if slowest is None:
            raise ExportsBusy
        slowest.lost.set()
        if not await self._finds_room(place):
            raise ExportsBusy

    async def _finds_room(self, place: ExportPlace) -> bool:
        try:
            async with asyncio.timeout(self._patience_s), self._changed:
                await self._changed.wait_for(lambda: self._has_room(place))
                self._places.append(place)
        except TimeoutError:
            return False
        return True

    def _has_room(self, place: ExportPlace) -> bool:
        if len(self._places) >= EXPORTS or self._holds_one(place.tenant):
            return False
        return place.pays or sum(not one.pays for one in self._places) < _UNPAID

    def _slowest_before(self, place: ExportPlace) -> ExportPlace | None:
        """Return the slowest reader's slot that the waiting export may take, or None. Its client
        must have no slot. An export of a client without a paid plan cannot displace an export of a
        paying client."""
        if self._holds_one(place.tenant):
            return None
        slow = [
            one
            for one in self._places
            if (place.pays or not one.pays) and one.behind_s > self._slow_after_s
        ]
        return max(slow, key=lambda one: one.behind_s, default=None)

    def _holds_one(self, tenant: TenantId) -> bool:
        return any(one.tenant == tenant for one in self._places)
