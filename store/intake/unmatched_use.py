"""How much of the room for events that no playbook wants is used. Only such an event asks."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ids import first_ulid
from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class UnmatchedBytes:
    """`oldest`: when the first of them came, None where there is none."""

    kept: int
    oldest: datetime | None


class UnmatchedUse(TenantRepository):
    """Call it behind the account's lock and as a statement of its own."""

    async def since(self, since: datetime) -> UnmatchedBytes:
        """The bytes of those that came since then."""
        values = {"tenant": self._tenant, "since": since, "first": first_ulid(since)}
        row = (await self._connection.execute(_KEPT, values)).one()
        return UnmatchedBytes(int(row.kept), row.oldest)


# PER_CLIENT bounds the rows of a day. A size is read from its row, without the value. The words
# stand in the event and in its message.
_KEPT: Final = sa.text("""
    SELECT coalesce(sum(pg_column_size(payload) + 2 * coalesce(pg_column_size(message), 0)), 0)
               AS kept,
           min(received_at) AS oldest
    FROM engine_events
    WHERE client_id = :tenant AND id >= :first AND outcome = 'no_playbook'
      AND received_at > :since
""")
