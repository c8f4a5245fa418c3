"""The storage used by events. A client with a plan reads it only for events without a playbook."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class EventBytes:
    """`oldest`: the admission of the first of them, or None."""

    kept: int
    oldest: datetime | None


class EventUse(TenantRepository):
    """Call it while holding the account's lock, as a separate statement."""

    async def since(self, since: datetime, *, only_unmatched: bool) -> EventBytes:
        """Return the bytes of the events that were admitted since then. `only_unmatched`: only of
        those that matched no playbook."""
        values = {"tenant": self._tenant, "since": since, "only_unmatched": only_unmatched}
        row = (await self._connection.execute(_KEPT, values)).one()
        return EventBytes(int(row.kept), row.oldest)


# PER_CLIENT bounds the rows of a day. The sizes are read without the values. A message is dated by
# its admission: an event that waited counts from then on. Its text is stored in both rows.
_KEPT: Final = sa.text("""
    SELECT coalesce(sum(pg_column_size(event.payload) + pg_column_size(message.body)
                        + coalesce(pg_column_size(event.message), 0)
                        + coalesce(pg_column_size(event.text), 0)
                        + coalesce(pg_column_size(event.unified), 0)), 0) AS kept,
           min(message.created_at) AS oldest
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :tenant AND message.direction = 'inbound'
      AND message.created_at > :since
      AND (event.outcome = 'no_playbook' OR NOT :only_unmatched)
""")
