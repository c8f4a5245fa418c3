"""The storage used by events, for the storage limit of events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class EventBytes:
    """`kept`: the stored size in bytes. `oldest`: when the oldest of these events was admitted, or
    None."""

    kept: int
    oldest: datetime | None


class EventUse(TenantRepository):
    """Call its methods while holding the account's lock, as separate statements."""

    async def since(self, since: datetime, *, only_unmatched: bool) -> EventBytes:
        """Return the size in bytes of the events that were admitted since `since`.
        `only_unmatched`: count only the events that matched no playbook."""
        values = {"tenant": self._tenant, "since": since, "only_unmatched": only_unmatched}
        row = (await self._connection.execute(_KEPT, values)).one()
        return EventBytes(int(row.kept), row.oldest)


# PER_CLIENT bounds the number of rows per day. The sizes are read without reading the values. The
# message's time is that of its admission, so an event that waited counts from its admission. The
# text is stored in both rows.
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
