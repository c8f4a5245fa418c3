"""Finds the records of a customer among all records of a client. Addresses are compared in Python,
by the rule of limits and memory (`domain/intake/customer_email.py`), because PostgreSQL folds
letters differently."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from pydantic import JsonValue
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.intake.customer_email import customer_key, mentions
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from domain.privacy.erasure import session_of
from domain.runs.conversation import address_in, session_keys
from store.analytics.tables import churn_predictions
from store.content.tables import suggestions
from store.exports.tables import automation_events
from store.identity.tables import address_codes
from store.runs.tables import customer_memories
from store.widget.tables import widget_codes, widget_sessions

PAGE: Final = 1_000

# Message and payload are read only if normalization gave the event no address.
_UNNAMED: Final = "(event.unified IS NULL OR event.unified ->> 'customer_email' IS NULL)"
_COLUMNS: Final = f"""
    event.id, event.source, event.event_type, event.customer_email, event.erased_at,
    event.unified IS NOT NULL AS is_normalized,
    event.unified ->> 'customer_email' AS normalized_email,
    event.unified ->> 'session_id' AS session_id,
    CASE WHEN {_UNNAMED} THEN event.message END AS message,
    CASE WHEN {_UNNAMED} THEN event.payload END AS payload
"""
_EVENTS: Final = sa.text(f"""
    SELECT {_COLUMNS} FROM engine_events AS event
    WHERE client_id = :client_id AND id > :after ORDER BY id LIMIT :limit
""")  # noqa: S608 - no word of a stranger's
_EVENTS_OF: Final = sa.text(f"""
    SELECT DISTINCT ON (event.id) {_COLUMNS}
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :client_id AND message.conversation_id = ANY(:conversations)
""")  # noqa: S608 - likewise
_EVENTS_OF_SESSIONS: Final = sa.text(f"""
    SELECT DISTINCT ON (event.id) {_COLUMNS}
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :client_id AND message.widget_session_id = ANY(:sessions)
""")  # noqa: S608 - likewise
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
class FoundRecords:
    """The customer's records on one page. `last`: the id of the page's last row, None after the
    last page; `ids`: the customer's records."""

    last: str | None
    ids: tuple[str, ...] = ()


class Subject:
    """One customer of one client. `key`: the address, folded by `customer_key`, or the
    `session_subject` of a visitor without an address. `mark`: the `erased_at` of the events found
    so far."""

    def __init__(
        self, connection: AsyncConnection, tenant: TenantId, key: str, mark: datetime
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._key = key
        self._session = session_of(key)
        self._mark = mark

    async def events(self, after: str) -> FoundRecords:
        """Find events that name the customer and are not marked as erased."""
        rows = await self._page(_EVENTS, after)
        unmarked = [row for row in rows if row.erased_at is None]
        return _found(rows, await self._naming(unmarked))

    async def events_of_conversations(self, after: str) -> FoundRecords:
        """Find events in the customer's conversations that name no other person."""
        rows = await self._page(_CONVERSATIONS, after)
        theirs = [row.id for row in rows if self._owns(row)]
        if not theirs:
            return _found(rows, ())
        events = await self._connection.execute(
            _EVENTS_OF, {"client_id": self._tenant, "conversations": theirs}
        )
        unmarked = [row for row in events if row.erased_at is None]
        return _found(rows, await self._naming(unmarked, or_nobody=True))

    async def events_of_sessions(self, after: str) -> FoundRecords:
        """Find events in the customer's widget sessions that name no other person."""
        sessions = await self.widget_sessions(after)
        if not sessions.ids:
            return sessions
        events = await self._connection.execute(
            _EVENTS_OF_SESSIONS, {"client_id": self._tenant, "sessions": list(sessions.ids)}
        )
        unmarked = [row for row in events if row.erased_at is None]
        return FoundRecords(sessions.last, tuple(await self._naming(unmarked, or_nobody=True)))

    async def widget_sessions(self, after: str) -> FoundRecords:
        """Find widget sessions in which the customer's address was verified."""
        table = widget_sessions.c
        rows = await self._page(_paged(table.id, table.verified_email), after)
        return _found(rows, (row.id for row in rows if self._is(row.verified_email)))

    async def widget_codes(self, after: str) -> FoundRecords:
        """Find codes that were sent to the customer in widget sessions, in any state."""
        table = widget_codes.c
        rows = await self._page(_paged(table.id, table.email), after)
        return _found(rows, (row.id for row in rows if self._is(row.email)))

    async def address_codes(self, after: str) -> FoundRecords:
        """Find codes that were sent to the customer as a ticket's author."""
        table = address_codes.c
        rows = await self._page(_paged(table.id, table.email), after)
        return _found(rows, (row.id for row in rows if self._is(row.email)))

    async def conversations(self, after: str) -> FoundRecords:
        """Find conversations with the customer's address."""
        rows = await self._page(_CONVERSATIONS, after)
        return _found(rows, (row.id for row in rows if self.is_theirs(row)))

    async def memories(self, after: str) -> FoundRecords:
        """Find the keys of the customer's memories."""
        key = customer_memories.c.key
        rows = await self._page(_paged(key), after)
        theirs = tuple(row.key for row in rows if self._is(address_in(row.key)))
        return FoundRecords(rows[-1].key, theirs) if rows else FoundRecords(None)

    async def churn(self, after: str) -> FoundRecords:
        table = churn_predictions.c
        rows = await self._page(_paged(table.id, table.customer_email), after)
        return _found(rows, (row.id for row in rows if self._is(row.customer_email)))

    async def automation_events(self, after: str) -> FoundRecords:
        table = automation_events.c
        columns = (table.source, table.event_type, table.customer_email, table.payload)
        rows = await self._page(
            _paged(
                table.id, *columns, sa.null().label("message"), sa.false().label("is_normalized")
            ),
            after,
        )
        return _found(rows, await self._naming(rows))

    async def suggestions(self, after: str) -> FoundRecords:
        """Find suggestions whose text contains the customer's address."""
        table = suggestions.c
        rows = await self._page(_paged(table.id, table.proposed, table.reason), after)
        theirs = (
            row.id
            for row in rows
            if any(mentions(said, self._key) for said in (row.reason, *_texts(row.proposed)))
        )
        return _found(rows, theirs)

    async def _naming(
        self, rows: "Sequence[sa.Row[*tuple[Any, ...]]]", *, or_nobody: bool = False
    ) -> list[str]:
        """Return the ids of the rows that name the customer. It runs in a thread, because
        normalizing a page of mails without a playbook for the first time may take minutes."""

        def ids() -> list[str]:
            return [
                row.id for row in rows if self._names(row) or (or_nobody and not _addresses(row))
            ]

        return await asyncio.to_thread(ids)

    def is_theirs(self, conversation: "sa.Row[*tuple[Any, ...]]") -> bool:
        """Return whether any column of a conversation has the customer's address. A ticket may have
        started without an address, and share the memory of its first author."""
        if self._session is not None and conversation.key in session_keys(
            self._session, conversation.id
        ):
            return True
        keys = (conversation.key, conversation.memory_key or "")
        return self._is(conversation.customer_email) or any(
            self._is(address_in(key)) for key in keys
        )

    def _owns(self, row: "sa.Row[*tuple[Any, ...]]") -> bool:
        """Return whether the conversation is the customer's. A visitor who gave the address later
        is also the author of the earlier messages."""
        if self.is_theirs(row):
            return True
        return row.customer_email is None and bool(row.has_erased)

    def _names(self, row: "sa.Row[*tuple[Any, ...]]") -> bool:
        """Return whether the event is the customer's. An event without an address is the customer's
        if its text or payload mentions the customer's address."""
        if self._session is not None:
            return _session(row) == self._session
        addresses = _addresses(row)
        if addresses:
            return self._key in addresses
        return any(mentions(said, self._key) for said in (row.message or "", *_texts(row.payload)))

    def _is(self, address: str | None) -> bool:
        return customer_key(address) == self._key

    async def _page(self, query: "sa.Executable", after: str) -> "list[sa.Row[*tuple[Any, ...]]]":
        rows = await self._connection.execute(
            query, {"client_id": self._tenant, "after": after, "limit": PAGE, "mark": self._mark}
        )
        return list(rows)


def _addresses(row: "sa.Row[*tuple[Any, ...]]") -> set[str]:
    """Return the keys of the addresses that an event names, both as sent and as normalized."""
    read = row.normalized_email if row.is_normalized else _normalized(row).customer_email
    keys = (customer_key(row.customer_email), customer_key(read))
    return {key for key in keys if key is not None}


def _session(row: "sa.Row[*tuple[Any, ...]]") -> str | None:
    found: str | None = row.session_id if row.is_normalized else _normalized(row).session_id
    return found


def _normalized(row: "sa.Row[*tuple[Any, ...]]") -> UnifiedEvent:
    inbound = InboundEvent(
        event_type=row.event_type,
        source=row.source,
        customer_email=row.customer_email,
        message=row.message,
        payload=row.payload if isinstance(row.payload, dict) else {},
    )
    return normalize(inbound, fallback_ticket_id="")


def _texts(payload: JsonValue) -> Iterator[str]:
    """Yield all strings of a payload at any depth, including field names."""
    waiting = [payload]
    while waiting:
        match waiting.pop():
            case str(said):
                yield said
            case dict(fields):
                yield from fields
                waiting += fields.values()
            case list(values):
                waiting += values


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
