"""The storage used by a client's events. It is compared with the client's storage limit for
events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class EventBytes:
    """The stored size of some events in bytes, and the admission of the `oldest`, or None without
    events."""

    kept: int
    oldest: datetime | None


class EventUse(TenantRepository):
    """The storage used by a client's events. The caller must have locked the account in an earlier
    statement, so that each method sees all events that earlier lock holders committed."""

    async def since(self, since: datetime, *, only_unmatched: bool) -> EventBytes:
        """Return the storage used by the events admitted since `since`. `only_unmatched`: count
        only the events that matched no playbook."""
        values = {"tenant": self._tenant, "since": since, "only_unmatched": only_unmatched}
        row = (await self._connection.execute(_KEPT, values)).one()
        return EventBytes(int(row.kept), row.oldest)


# PER_CLIENT bounds the number of rows per day, and the query reads sizes, not values. A message's
# time is its admission time. The text counts twice because the event and the message both contain
# it.
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
