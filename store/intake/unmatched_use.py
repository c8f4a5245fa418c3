"""The storage used by events without a playbook. Only events of that kind query it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ids import first_ulid
from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class UnmatchedBytes:
    """`oldest`: when the oldest of these events arrived, or None."""

    kept: int
    oldest: datetime | None


class UnmatchedUse(TenantRepository):
    """Call its methods while holding the account's lock, as separate statements."""

    async def since(self, since: datetime) -> UnmatchedBytes:
        """Return the size in bytes of the events that arrived since `since`."""
        values = {"tenant": self._tenant, "since": since, "first": first_ulid(since)}
        row = (await self._connection.execute(_KEPT, values)).one()
        return UnmatchedBytes(int(row.kept), row.oldest)


# PER_CLIENT bounds the number of rows per day. The size is read without reading the value. The text
# is stored twice, in the event and in its message.
_KEPT: Final = sa.text("""
    SELECT coalesce(sum(pg_column_size(payload) + 2 * coalesce(pg_column_size(message), 0)), 0)
               AS kept,
           min(received_at) AS oldest
    FROM engine_events
    WHERE client_id = :tenant AND id >= :first AND outcome = 'no_playbook'
      AND received_at > :since
""")
