"""The storage used by events without a playbook. Only such an event reads it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ids import first_ulid
from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class UnmatchedBytes:
    """`oldest`: the arrival of the first of them, or None."""

    kept: int
    oldest: datetime | None


class UnmatchedUse(TenantRepository):
    """Call it while holding the account's lock, as a separate statement."""

    async def since(self, since: datetime) -> UnmatchedBytes:
        """Return the bytes of the events that arrived since then."""
        values = {"tenant": self._tenant, "since": since, "first": first_ulid(since)}
        row = (await self._connection.execute(_KEPT, values)).one()
        return UnmatchedBytes(int(row.kept), row.oldest)


# PER_CLIENT bounds the rows of a day. The size is read without the value. The text is stored twice,
# in the event and in its message.
_KEPT: Final = sa.text("""
    SELECT coalesce(sum(pg_column_size(payload) + 2 * coalesce(pg_column_size(message), 0)), 0)
               AS kept,
           min(received_at) AS oldest
    FROM engine_events
    WHERE client_id = :tenant AND id >= :first AND outcome = 'no_playbook'
      AND received_at > :since
""")
