"""Writes the index of customers, in the transaction that stores a customer's message."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ports import NewId
from domain.customers.customer_words import customer_words
from domain.intake.customer_email import customer_key
from store.core.repository import TenantRepository
from store.intake.events import IS_AUTHENTICATED

_PAGE: Final = 1_000

# A name in a message from an unverified sender never replaces the name of a verified customer. The
# words are stored only if the name that they contain is the customer's name.
_KEEP: Final = sa.text("""
    WITH kept AS (
        INSERT INTO customers AS customer
            (client_id, id, key, name, is_verified, first_contact_at, last_contact_at)
        VALUES (:client_id, :id, :key, :name, :is_verified, :first_at, :last_at)
        ON CONFLICT (client_id, key) DO UPDATE
        SET name = CASE WHEN customer.is_verified AND NOT excluded.is_verified THEN customer.name
                        ELSE coalesce(excluded.name, customer.name) END,
            is_verified = customer.is_verified OR excluded.is_verified,
            first_contact_at = least(customer.first_contact_at, excluded.first_contact_at),
            last_contact_at = greatest(customer.last_contact_at, excluded.last_contact_at)
        RETURNING id, name
    ), gone AS (
        DELETE FROM customer_words AS word USING kept
        WHERE word.client_id = :client_id AND word.customer_id = kept.id
          AND kept.name = CAST(:name AS text) AND word.word <> ALL(CAST(:words AS text[]))
    )
    INSERT INTO customer_words (client_id, word, customer_id)
    SELECT :client_id, word, kept.id
    FROM kept CROSS JOIN unnest(CAST(:words AS text[])) AS word
    WHERE CAST(:name AS text) IS NULL OR kept.name = CAST(:name AS text)
    ON CONFLICT (client_id, word, customer_id) DO NOTHING
""")
# Imported messages have no key.
_UNKEYED: Final = sa.text("""
    SELECT DISTINCT event.unified ->> 'customer_email'
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :client_id AND message.direction = 'inbound'
      AND message.normalized_key IS NULL AND event.unified ->> 'customer_email' IS NOT NULL
""")
_SET_KEYS: Final = sa.text("""
    UPDATE engine_messages AS message SET normalized_key = known.key
    FROM engine_events AS event
    JOIN unnest(CAST(:emails AS text[]), CAST(:keys AS text[])) AS known(email, key)
      ON known.email = event.unified ->> 'customer_email'
    WHERE message.client_id = :client_id AND message.direction = 'inbound'
      AND message.normalized_key IS NULL
      AND event.client_id = :client_id AND event.id = message.event_id
""")
_STORED: Final = sa.text(f"""
    SELECT message.normalized_key AS key, bool_or(sender.is_verified) AS is_verified,
           min(message.created_at) AS first_at, max(message.created_at) AS last_at,
           (array_agg(event.unified ->> 'customer_name'
                      ORDER BY sender.is_verified DESC, message.created_at DESC)
               FILTER (WHERE event.unified ->> 'customer_name' IS NOT NULL))[1] AS name
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    CROSS JOIN LATERAL (SELECT {IS_AUTHENTICATED} AS is_verified) AS sender
    WHERE message.client_id = :client_id AND message.direction = 'inbound'
      AND message.normalized_key IS NOT NULL AND message.conversation_id IS NOT NULL
      AND event.erased_at IS NULL
    GROUP BY message.normalized_key
""")  # noqa: S608 - our own SQL


class CustomerIndex(TenantRepository):
    async def keep(
        self,
        email: str | None,
        name: str | None,
        *,
        is_verified: bool,
        new_id: NewId,
        at: datetime,
    ) -> None:
        """Store that a customer wrote at `at`. Without an address there is no customer, and
        nothing is stored. A repeated call has no effect.

        `is_verified`: whether the sender was verified to hold the address.
        """
        key = customer_key(email)
        if key is None:
            return
        await self._connection.execute(
            _KEEP, self._row(key, name, is_verified, at, at, new_id=new_id)
        )

    async def rebuild(self, new_id: NewId) -> None:
        """Store all customers whose messages are stored, for example after an import."""
        await self._set_keys()
        found = (await self._connection.execute(_STORED, {"client_id": self._tenant})).all()
        rows = [
            self._row(row.key, row.name, row.is_verified, row.first_at, row.last_at, new_id=new_id)
            for row in found
        ]
        for page in _pages(rows):
            await self._connection.execute(_KEEP, page)

    async def _set_keys(self) -> None:
        mine: dict[str, object] = {"client_id": self._tenant}
        keys = {one: customer_key(one) for one in await self._connection.scalars(_UNKEYED, mine)}
        known = {email: key for email, key in keys.items() if key is not None}
        await self._connection.execute(
            _SET_KEYS, {**mine, "emails": list(known), "keys": list(known.values())}
        )

    def _row(
        self,
        key: str,
        name: str | None,
        is_verified: bool,
        first_at: datetime,
        last_at: datetime,
        *,
        new_id: NewId,
    ) -> dict[str, object]:
        return {
            "client_id": self._tenant,
            "id": new_id(),
            "key": key,
            "name": name,
            "is_verified": is_verified,
            "first_at": first_at,
            "last_at": last_at,
            "words": list(customer_words(name, key)),
        }


def _pages(rows: Sequence[dict[str, object]]) -> list[list[dict[str, object]]]:
    return [list(rows[place : place + _PAGE]) for place in range(0, len(rows), _PAGE)]
