"""Count the rejected requests to clients' endpoints, in memory and written in batches. A flood of
bad signatures therefore neither waits for writes nor fills a table."""

from datetime import datetime
from typing import Final

import structlog

from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.inbound.errors import RefusalReason
from store.core.database import Database
from store.inbound.refusals import RefusalRepository, RefusalsOfHour

_log = structlog.get_logger(__name__)

WRITTEN_EVERY_S: Final = 2.0
# Maximum number of counters between two writes, with one counter for each endpoint, reason and
# hour. A rejection that would need a further counter is not counted.
_MAX_KEPT: Final = 10_000

_Kind = tuple[TenantId, str, RefusalReason, datetime]


class RefusalCounts:
    """In-memory counts of rejected requests. `written_every_s`: the interval between two writes to
    the database, in seconds."""

    def __init__(self, database: Database, *, written_every_s: float = WRITTEN_EVERY_S) -> None:
        self.written_every_s = written_every_s
        self._database = database
        self._waiting: dict[_Kind, tuple[int, datetime]] = {}

    def note(
        self, tenant: TenantId, integration_id: str, reason: RefusalReason, now: datetime
    ) -> None:
        """Count one rejected request at an endpoint."""
        hour = now.replace(minute=0, second=0, microsecond=0)
        self._add((tenant, integration_id, reason, hour), 1, now)

    async def write(self) -> None:
        """Write the pending counts to the database. If the database is unavailable, they stay
        pending until the next write."""
        batch, self._waiting = self._waiting, {}
        if not batch:
            return
        try:
            async with self._database.service() as connection:
                await RefusalRepository(connection).add(
                    # The counts are sorted, so that two processes never deadlock.
                    [RefusalsOfHour(*kind, *batch[kind]) for kind in sorted(batch)]
                )
        except EngineUnavailable as error:
            _log.warning("failed to record rejected webhooks", refusals=len(batch), code=error.code)
            for kind, (count, last_at) in batch.items():
                self._add(kind, count, last_at)

    def _add(self, kind: _Kind, count: int, last_at: datetime) -> None:
        if kind not in self._waiting and len(self._waiting) >= _MAX_KEPT:
            return
        before, _ = self._waiting.get(kind, (0, last_at))
        self._waiting[kind] = before + count, last_at
