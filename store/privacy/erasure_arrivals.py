"""Erasure of platform data about one customer: webhooks, facts of orders, data requests."""

import asyncio
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.body import words_in
from domain.intake.customer_email import customer_key, mentions
from store.inbound.tables import data_requests, inbound_webhooks
from store.integrations.tables import order_facts

_PAGE: Final = 50
# How much of each body to read. JSON bodies are not longer, and in a mail the sender precedes the
# files.
_READ: Final = 1024 * 1024

# A processed ticket has its customer stored. A ticket that is queued, that failed or that staff
# wrote is matched only by its text.
_WEBHOOKS: Final = sa.text("""
    SELECT webhook.id, webhook.customer_key,
           coalesce(event.erased_at = :mark, false) AS is_theirs,
           CASE WHEN webhook.kind <> 'ticket' OR coalesce(webhook.customer_key, event.id) IS NULL
               THEN substring(webhook.body, 1, :read) END AS body
    FROM inbound_webhooks AS webhook
    LEFT JOIN engine_events AS event
      ON event.client_id = webhook.client_id AND event.id = webhook.event_id
    WHERE webhook.client_id = :client_id AND webhook.id > :after AND webhook.body IS NOT NULL
    ORDER BY webhook.id LIMIT :limit
""")


class CustomerArrivals:
    """The platform data of one customer of one client.

    `key`: the key of the address; for a visitor without one that of the session, which no platform
    reports. `mark`: the `erased_at` of the customer's events.
    """

    def __init__(
        self, connection: AsyncConnection, tenant: TenantId, key: str, mark: datetime
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._key = key
        self._mark = mark

    async def empty_webhooks(self, after: str) -> tuple[str | None, dict[str, int]]:
        """Empty the stored webhooks after this id that belong to the customer or name the customer.
        Return the last id, or None at the end, and the number emptied. Queued webhooks then have no
        effect."""
        rows = (
            await self._connection.execute(
                _WEBHOOKS,
                {
                    "client_id": self._tenant,
                    "after": after,
                    "limit": _PAGE,
                    "read": _READ,
                    "mark": self._mark,
                },
            )
        ).all()
        # In a thread: long bodies take seconds to scan, which would block the event loop.
        theirs = await asyncio.to_thread(lambda: [row.id for row in rows if self._is_theirs(row)])
        emptied = await self._connection.execute(
            sa.update(inbound_webhooks)
            .where(inbound_webhooks.c.client_id == self._tenant, inbound_webhooks.c.id.in_(theirs))
            .values(body=None, headers={}, customer_key=None)
        )
        last = rows[-1].id if rows else None
        return last, {"inbound_webhooks, emptied": emptied.rowcount}

    async def remove_told(self) -> dict[str, int]:
        """Remove the facts of the customer's orders, and the customer's data requests."""
        facts = await self._connection.execute(
            sa.delete(order_facts).where(
                order_facts.c.client_id == self._tenant, order_facts.c.customer_key == self._key
            )
        )
        # There are few rows. They are compared in Python, as everywhere in this module.
        asked = await self._connection.execute(
            sa.select(data_requests.c.id, data_requests.c.customer_email).where(
                data_requests.c.client_id == self._tenant,
                data_requests.c.customer_email.is_not(None),
            )
        )
        theirs = [row.id for row in asked if customer_key(row.customer_email) == self._key]
        requests = await self._connection.execute(
            sa.delete(data_requests).where(
                data_requests.c.client_id == self._tenant, data_requests.c.id.in_(theirs)
            )
        )
        return {"order_facts": facts.rowcount, "data_requests": requests.rowcount}

    def _is_theirs(self, row: "sa.Row[*tuple[Any, ...]]") -> bool:
        if row.is_theirs or row.customer_key == self._key:
            return True
        return row.body is not None and mentions(words_in(row.body), self._key)
