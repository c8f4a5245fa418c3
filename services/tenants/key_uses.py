"""Record the time and IP network of each API key's last use, in memory, and write them in batches.

Requests therefore do not wait for a write, and a busy key does not cause thousands of writes.
"""

from datetime import datetime
from typing import Final

import structlog

from domain.core.errors import EngineUnavailable
from store.core.database import Database
from store.tenants.keys import KeyRepository, KeyUse

_log = structlog.get_logger(__name__)

WRITTEN_EVERY_S: Final = 30.0
# Maximum number of keys recorded between two writes. If more keys are used, their uses are not
# recorded until the next write.
_MAX_KEYS: Final = 10_000


class KeyUses:
    """In-memory records of the last uses of API keys. `written_every_s`: the interval between two
    writes to the database, in seconds."""

    def __init__(
        self,
        database: Database,
        *,
        written_every_s: float = WRITTEN_EVERY_S,
        max_keys: int = _MAX_KEYS,
    ) -> None:
        self.written_every_s = written_every_s
        self._database = database
        self._max_keys = max_keys
        self._waiting: dict[str, KeyUse] = {}

    def note(self, key_id: str, network: str, now: datetime) -> None:
        """Record a use of an API key. If a key is used several times between two writes, only the
        last use is kept."""
        if key_id in self._waiting or len(self._waiting) < self._max_keys:
            self._waiting[key_id] = KeyUse(key_id, now, network)

    async def write(self) -> None:
        """Write the pending uses to the database. If the database is unavailable, they stay pending
        until the next write."""
        batch, self._waiting = self._waiting, {}
        if not batch:
            return
        try:
            async with self._database.service() as connection:
                await KeyRepository(connection).used(list(batch.values()))
        except EngineUnavailable as error:
            _log.warning("failed to record uses of API keys", keys=len(batch), code=error.code)
            for key_id, use in batch.items():
                if len(self._waiting) < self._max_keys:
                    self._waiting.setdefault(key_id, use)
