"""Search all of a client's records for those of one customer, page by page.

A page contains only short columns. Outsiders control the number and length of texts, so these are
read in batches of READ_BYTES, and compared without an open transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.runs.conversation import address_in
from store.analytics.tables import churn_predictions
from store.content.tables import suggestions
from store.customers.tables import customers
from store.identity.tables import address_codes
from store.privacy.erasure_naming import Naming
from store.runs.tables import customer_memories
from store.widget.tables import widget_codes, widget_sessions

PAGE: Final = 500

READ_BYTES: Final = 2 * 1024 * 1024
"""Maximum number of bytes of text that one transaction reads. A longer text is read in a separate
transaction."""

# The size of a compressed payload is unknown until it is read, so each compressed payload is read
# in a separate transaction.
_SIZE: Final = f"""
    CASE WHEN pg_column_compression(payload) IS NULL THEN pg_column_size(payload)
         ELSE {READ_BYTES} END
"""
_NAMES: Final = """
    event.id, event.customer_email,
    event.unified IS NOT NULL AS is_normalized,
    event.unified ->> 'customer_email' AS normalized_email,
    event.unified ->> 'session_id' AS session_id
"""
_HEADS: Final = f"{_NAMES}, coalesce(octet_length(event.message), 0) + {_SIZE} AS size"
_EVENTS: Final = sa.text(f"""
    SELECT {_HEADS} FROM engine_events AS event
    WHERE client_id = :client_id AND id > :after AND erased_at IS NULL ORDER BY id LIMIT :limit
""")  # noqa: S608 - no word of a stranger's
_EVENTS_OF: Final = sa.text(f"""
    SELECT DISTINCT ON (event.id) {_HEADS}
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :client_id AND message.conversation_id = ANY(:conversations)
      AND event.erased_at IS NULL
""")  # noqa: S608 - likewise
_EVENTS_OF_SESSIONS: Final = sa.text(f"""
    SELECT DISTINCT ON (event.id) {_HEADS}
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :client_id AND message.widget_session_id = ANY(:sessions)
      AND event.erased_at IS NULL
""")  # noqa: S608 - likewise
_EVENT_TEXTS: Final = sa.text(f"""
    SELECT {_NAMES}, event.source, event.event_type, event.message, event.payload
    FROM engine_events AS event
    WHERE client_id = :client_id AND id = ANY(:ids) AND erased_at IS NULL
""")  # noqa: S608 - likewise
_IMPORTED: Final = sa.text(f"""
    SELECT id, {_SIZE} AS size FROM automation_events
    WHERE client_id = :client_id AND id > :after ORDER BY id LIMIT :limit
""")  # noqa: S608 - likewise
_IMPORTED_TEXTS: Final = sa.text("""
    SELECT id, source, event_type, customer_email, NULL AS message, payload,
           false AS is_normalized
    FROM automation_events WHERE client_id = :client_id AND id = ANY(:ids)
""")
_CONVERSATIONS: Final = sa.text("""
    SELECT id, key, customer_email, memory_key, EXISTS (
        SELECT FROM engine_messages AS message
        JOIN engine_events AS event
          ON event.client_id = message.client_id AND event.id = message.event_id
        WHERE message.client_id = conversation.client_id
          AND message.conversation_id = conversation.id AND event.erased_at = :mark
    ) AS has_erased
    FROM ai_conversations AS conversation
    WHERE client_id = :client_id AND id > :after ORDER BY id LIMIT :limit
""")


@dataclass(frozen=True, slots=True)
class UnreadRecords:
    """Records to read in one transaction because only their texts show whether they belong to the
    customer.

    `query` reads the texts of `ids`. If `or_unnamed` is true, records that identify no person are
    included.
    """

    query: sa.TextClause
    ids: tuple[str, ...]
    or_unnamed: bool = False


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """The customer's records on one page. `last` is the id of the page's last row, or None after
    the last page. `unread` are the records that `Subject.read` must read first."""

    last: str | None
    ids: tuple[str, ...] = ()
    unread: tuple[UnreadRecords, ...] = ()


class Subject:
    """The search for the records of one customer. `key` is as in `Naming`. `mark` is the
    `erased_at` of the events found. In the methods, `after` is the last id of the previous page."""

    def __init__(
        self, connection: AsyncConnection, tenant: TenantId, key: str, mark: datetime
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._mark = mark
        self.naming = Naming(key)

    async def read(self, unread: UnreadRecords) -> "Sequence[sa.Row[*tuple[Any, ...]]]":
        """Return the texts of these records, as input for `Naming.owned`."""
        values = {"client_id": self._tenant, "ids": list(unread.ids)}
        return (await self._connection.execute(unread.query, values)).all()

    async def events(self, after: str) -> FoundRecords:
        """Return a page of the events that identify the customer and are not marked as erased."""
        rows = await self._page(_EVENTS, after)
        return self._decided(rows[-1].id if rows else None, rows)

    async def events_of_conversations(self, after: str) -> FoundRecords:
        """Return a page of the events that belong to the customer's conversations and do not
        identify any other person."""
        rows = await self._page(_CONVERSATIONS, after)
        theirs = [row.id for row in rows if self._owns(row)]
        if not theirs:
            return _found(rows, ())
        events = await self._connection.execute(
            _EVENTS_OF, {"client_id": self._tenant, "conversations": theirs}
        )
        return self._decided(rows[-1].id, events.all(), or_unnamed=True)

    async def events_of_sessions(self, after: str) -> FoundRecords:
        """Return a page of the events that belong to the customer's widget sessions and do not
        identify any other person."""
        sessions = await self.widget_sessions(after)
        if not sessions.ids:
            return sessions
        events = await self._connection.execute(
            _EVENTS_OF_SESSIONS, {"client_id": self._tenant, "sessions": list(sessions.ids)}
        )
        return self._decided(sessions.last, events.all(), or_unnamed=True)

    async def widget_sessions(self, after: str) -> FoundRecords:
        """Return a page of the widget sessions in which the customer's address was verified."""
        table = widget_sessions.c
        rows = await self._page(_paged(table.id, table.verified_email), after)
        return _found(rows, (row.id for row in rows if self.naming.has(row.verified_email)))

    async def widget_codes(self, after: str) -> FoundRecords:
        """Return a page of the codes that were sent to the customer in widget sessions, regardless
        of their state."""
        table = widget_codes.c
        rows = await self._page(_paged(table.id, table.email), after)
        return _found(rows, (row.id for row in rows if self.naming.has(row.email)))

    async def address_codes(self, after: str) -> FoundRecords:
        """Return a page of the codes that were sent to the customer as the author of a ticket."""
        table = address_codes.c
        rows = await self._page(_paged(table.id, table.email), after)
        return _found(rows, (row.id for row in rows if self.naming.has(row.email)))

    async def conversations(self, after: str) -> FoundRecords:
        """Return a page of the conversations that contain the customer's address."""
        rows = await self._page(_CONVERSATIONS, after)
        return _found(rows, (row.id for row in rows if self.naming.owns_conversation(row)))

    async def memories(self, after: str) -> FoundRecords:
        """Return a page of the keys of the customer's memories."""
        key = customer_memories.c.key
        rows = await self._page(_paged(key), after)
        theirs = tuple(row.key for row in rows if self.naming.has(address_in(row.key)))
        return FoundRecords(rows[-1].key, theirs) if rows else FoundRecords(None)

    async def customers(self, after: str) -> FoundRecords:
        """Return a page of the customer index."""
        table = customers.c
        rows = await self._page(_paged(table.id, table.key), after)
        return _found(rows, (row.id for row in rows if self.naming.has(row.key)))

    async def churn(self, after: str) -> FoundRecords:
        table = churn_predictions.c
        rows = await self._page(_paged(table.id, table.customer_email), after)
        return _found(rows, (row.id for row in rows if self.naming.has(row.customer_email)))

    async def automation_events(self, after: str) -> FoundRecords:
        rows = await self._page(_IMPORTED, after)
        last = rows[-1].id if rows else None
        return FoundRecords(last, unread=tuple(_unread(rows, _IMPORTED_TEXTS)))

    async def suggestions(self, after: str) -> FoundRecords:
        """Return a page of the suggestions whose text or source mentions the customer's address."""
        table = suggestions.c
        rows = await self._page(_paged(table.id, table.proposed, table.reason, table.source), after)
        theirs = (
            row.id
            for row in rows
            if self.naming.mentioned_in(row.reason)
            or self.naming.mentioned_within(row.proposed)
            or self.naming.mentioned_within(row.source)
        )
        return _found(rows, theirs)

    def _owns(self, row: "sa.Row[*tuple[Any, ...]]") -> bool:
        """Return whether a conversation belongs to the customer. If a visitor provided the address
        only later, the earlier messages belong to the same customer."""
        if self.naming.owns_conversation(row):
            return True
        return row.customer_email is None and bool(row.has_erased)

    def _decided(
        self,
        last: str | None,
        events: "Sequence[sa.Row[*tuple[Any, ...]]]",
        *,
        or_unnamed: bool = False,
    ) -> FoundRecords:
        """Return a page with the events that belong to the customer according to their addresses.
        Events that can be decided only by their texts are returned in `unread`."""
        unread = [one for one in events if self.naming.needs_text(one, or_unnamed=or_unnamed)]
        later = {one.id for one in unread}
        known = [one for one in events if one.id not in later]
        return FoundRecords(
            last,
            self.naming.owned(known, or_unnamed=or_unnamed),
            tuple(_unread(unread, _EVENT_TEXTS, or_unnamed=or_unnamed)),
        )

    async def _page(self, query: "sa.Executable", after: str) -> "list[sa.Row[*tuple[Any, ...]]]":
        rows = await self._connection.execute(
            query, {"client_id": self._tenant, "after": after, "limit": PAGE, "mark": self._mark}
        )
        return list(rows)


def _unread(
    rows: "Iterable[sa.Row[*tuple[Any, ...]]]", query: sa.TextClause, *, or_unnamed: bool = False
) -> Iterator[UnreadRecords]:
    """Yield the rows in batches whose texts total at most READ_BYTES. A larger row forms its own
    batch."""
    ids: list[str] = []
    size = 0
    for row in rows:
        if ids and size + row.size > READ_BYTES:
            yield UnreadRecords(query, tuple(ids), or_unnamed)
            ids, size = [], 0
        ids.append(row.id)
        size += row.size
    if ids:
        yield UnreadRecords(query, tuple(ids), or_unnamed)


def _paged(
    key: "sa.Column[str]", *columns: "sa.ColumnElement[Any]"
) -> "sa.Select[*tuple[Any, ...]]":
    return (
        sa.select(key, *columns)
        .where(key.table.c.client_id == sa.bindparam("client_id"), key > sa.bindparam("after"))
        .order_by(key)
        .limit(sa.bindparam("limit"))
    )


def _found(rows: "list[sa.Row[*tuple[Any, ...]]]", ids: Iterable[str]) -> FoundRecords:
    return FoundRecords(rows[-1].id, tuple(ids)) if rows else FoundRecords(None)
