"""Update the customer index, in the transaction that stores a customer's message."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.customers.customer_words import customer_words
from domain.intake.customer_email import customer_key
from store.core.repository import TenantRepository
from store.intake.events import IS_AUTHENTICATED

PAGE: Final = 200
"""Maximum number of messages indexed by `CustomerIndex.index_page`."""

# An unverified sender's name never replaces a verified customer's name. The name in an earlier
# message replaces a later name only if the earlier sender was verified and the later sender was
# not.
_KEEP: Final = sa.text("""
    WITH kept AS (
        INSERT INTO customers AS customer
            (client_id, id, key, name, is_verified, first_contact_at, last_contact_at)
        VALUES (:client_id, :id, :key, :name, :is_verified, :at, :at)
        ON CONFLICT (client_id, key) DO UPDATE
        SET name = CASE WHEN customer.is_verified AND NOT excluded.is_verified THEN customer.name
                        WHEN customer.is_verified = excluded.is_verified
                             AND excluded.last_contact_at < customer.last_contact_at
                        THEN coalesce(customer.name, excluded.name)
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
# Imports and earlier versions store messages without a key. An event that is being normalized or
# erased is locked, and the next sweep finds its message.
_UNINDEXED: Final = """message.direction = 'inbound' AND message.normalized_key IS NULL
      AND message.conversation_id IS NOT NULL"""
_NEXT_PAGE: Final = sa.text(f"""
    SELECT message.id, message.created_at, event.unified ->> 'customer_email' AS email,
           event.unified ->> 'customer_name' AS name, {IS_AUTHENTICATED} AS is_verified,
           event.erased_at IS NOT NULL AS is_erased
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :client_id AND {_UNINDEXED}
    ORDER BY message.id LIMIT :limit
    FOR NO KEY UPDATE OF message, event SKIP LOCKED
""")  # noqa: S608 - our own SQL
_SET_KEYS: Final = sa.text("""
    UPDATE engine_messages AS message SET normalized_key = known.key
    FROM unnest(CAST(:ids AS text[]), CAST(:keys AS text[])) AS known(id, key)
    WHERE message.client_id = :client_id AND message.id = known.id
""")
_NEXT_CLIENT: Final = sa.text(f"""
    SELECT message.client_id FROM engine_messages AS message
    WHERE message.client_id > :after AND {_UNINDEXED}
    ORDER BY message.client_id LIMIT 1
""")  # noqa: S608 - likewise


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
        """Record that a customer sent a message at `at`, unless `email` is None. Idempotent.
        `is_verified` means that the sender's address was verified."""
        key = customer_key(email)
        if key is None:
            return
        await self._connection.execute(_KEEP, self._row(key, name, is_verified, at, new_id=new_id))

    async def index_all(self, new_id: NewId) -> None:
        """Index the customer of each message that is not yet indexed, for example after an
        import."""
        while await self.index_page(new_id):
            pass

    async def index_page(self, new_id: NewId) -> int:
        """Index the customers of the next PAGE messages that are not indexed, and return their
        number. Messages locked by another transaction are skipped."""
        found = (
            await self._connection.execute(_NEXT_PAGE, {"client_id": self._tenant, "limit": PAGE})
        ).all()
        if not found:
            return 0
        keys = [customer_key(row.email) or "" for row in found]
        await self._connection.execute(
            _SET_KEYS,
            {"client_id": self._tenant, "ids": [row.id for row in found], "keys": keys},
        )
        kept = [
            self._row(key, row.name, row.is_verified, row.created_at, new_id=new_id)
            for key, row in zip(keys, found, strict=True)
            if key and not row.is_erased
        ]
        if kept:
            await self._connection.execute(_KEEP, kept)
        return len(found)

    def _row(
        self,
        key: str,
        name: str | None,
        is_verified: bool,
        at: datetime,
        *,
        new_id: NewId,
    ) -> dict[str, object]:
        return {
            "client_id": self._tenant,
            "id": new_id(),
            "key": key,
            "name": name,
            "is_verified": is_verified,
            "at": at,
            "words": list(customer_words(name, key)),
        }


async def next_client(connection: AsyncConnection, after: str) -> TenantId | None:
    """Return the first client after the id `after` that has messages not yet indexed, or None."""
    found = await connection.scalar(_NEXT_CLIENT, {"after": after})
    return None if found is None else TenantId(found)
