"""Decide whether a record belongs to a customer, by its addresses and texts.

Python compares addresses, as for limits and memory (`domain/intake/customer_email.py`), because
PostgreSQL folds letters differently.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue

from domain.intake.customer_email import customer_key, mentions
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from domain.privacy.erasure import session_of
from domain.runs.conversation import address_in, session_keys


class Naming:
    """The rules that decide whether a record belongs to one customer. `key` is a result of
    `customer_key`, or the `session_subject` of a visitor without an address."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._session = session_of(key)

    def owned(
        self, rows: "Sequence[sa.Row[*tuple[Any, ...]]]", *, or_unnamed: bool = False
    ) -> tuple[str, ...]:
        """Return the ids of the rows that belong to the customer. If `or_unnamed` is true, rows
        that identify no person are included.

        Call this in a thread without an open transaction: long texts take seconds, and emails that
        were never normalized take minutes.
        """
        return tuple(row.id for row in rows if self._names(row, or_unnamed=or_unnamed))

    def needs_text(self, event: "sa.Row[*tuple[Any, ...]]", *, or_unnamed: bool) -> bool:
        """Return True if deciding whether an event belongs to the customer requires reading the
        event's text and payload."""
        if not event.is_normalized:
            return True
        return not (self._session is not None or or_unnamed or _addresses(event))

    def has(self, address: str | None) -> bool:
        """Return whether an address belongs to the customer."""
        return customer_key(address) == self._key

    def mentioned_in(self, text: str) -> bool:
        """Return whether a text mentions the customer's address."""
        return mentions(text, self._key)

    def mentioned_within(self, payload: JsonValue) -> bool:
        """Return whether a string in a payload, at any depth, mentions the customer's address."""
        return any(mentions(text, self._key) for text in _texts(payload))

    def owns_conversation(self, conversation: "sa.Row[*tuple[Any, ...]]") -> bool:
        """Return whether any column of a conversation contains the customer's address. All columns
        are checked because a ticket that started without an address may contain its first author's
        address only in its memory key."""
        if self._session is not None and conversation.key in session_keys(
            self._session, conversation.id
        ):
            return True
        keys = (conversation.key, conversation.memory_key or "")
        return self.has(conversation.customer_email) or any(
            self.has(address_in(key)) for key in keys
        )

    def _names(self, row: "sa.Row[*tuple[Any, ...]]", *, or_unnamed: bool) -> bool:
        """Return whether a row belongs to the customer. A row without an address belongs to the
        customer if its text or payload mentions the customer's address."""
        if self._session is not None:
            return _session(row) == self._session or (or_unnamed and not _addresses(row))
        addresses = _addresses(row)
        if addresses:
            return self._key in addresses
        if or_unnamed:
            return True
        return self.mentioned_in(row.message or "") or self.mentioned_within(row.payload)


def _addresses(row: "sa.Row[*tuple[Any, ...]]") -> set[str]:
    """Return the keys of all addresses in an event, both as sent and as normalized."""
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
    """Yield all strings in a payload at any depth, including field names."""
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
