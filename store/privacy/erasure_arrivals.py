"""Erase the data that platforms sent about one customer: webhooks, order facts and data
requests."""

from collections.abc import Sequence
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
# Maximum number of bytes read from each body. The rest is not needed: JSON bodies never exceed this
# size, and an email's sender comes before its attachments.
_READ: Final = 1024 * 1024
# The maximum total size of the bodies on a page of webhooks, in bytes. A page ends with the body
# that reaches this size.
_PAGE_BYTES: Final = 2 * 1024 * 1024

# A processed ticket has a stored customer. Other tickets can be matched only by their text.
_IS_READ: Final = "(webhook.kind <> 'ticket' OR coalesce(webhook.customer_key, event.id) IS NULL)"
_WEBHOOKS: Final = sa.text(f"""
    SELECT id, customer_key, is_theirs,
           CASE WHEN is_read THEN substring(body, 1, :read) END AS body
    FROM (
        SELECT page.*, sum(size) OVER (ORDER BY id) - size AS before
        FROM (
            SELECT webhook.id, webhook.customer_key, webhook.body,
                   coalesce(event.erased_at = :mark, false) AS is_theirs,
                   {_IS_READ} AS is_read,
                   CASE WHEN {_IS_READ} THEN least(octet_length(webhook.body), :read)
                        ELSE 0 END AS size
            FROM inbound_webhooks AS webhook
            LEFT JOIN engine_events AS event
              ON event.client_id = webhook.client_id AND event.id = webhook.event_id
            WHERE webhook.client_id = :client_id AND webhook.id > :after
              AND webhook.body IS NOT NULL
            ORDER BY webhook.id LIMIT :limit
        ) AS page
    ) AS sized
    WHERE before < :page_bytes ORDER BY id
""")  # noqa: S608 - a constant


class CustomerArrivals:
    """Platform data about one customer of one client.

    `key` is the key of the customer's address or, without one, of the session. `mark` is the
    `erased_at` of the customer's events. Platforms do not know session keys, so a visitor's data is
    found only by `mark`.
    """

    def __init__(
        self, connection: AsyncConnection, tenant: TenantId, key: str, mark: datetime
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._key = key
        self._mark = mark

    async def webhooks(self, after: str) -> "Sequence[sa.Row[*tuple[Any, ...]]]":
        """Return the next page of stored webhooks, starting after this id, as input for
        `of_customer`. Return an empty page at the end."""
        found = await self._connection.execute(
            _WEBHOOKS,
            {
                "client_id": self._tenant,
                "after": after,
                "limit": _PAGE,
                "read": _READ,
                "page_bytes": _PAGE_BYTES,
                "mark": self._mark,
            },
        )
        return found.all()

    def of_customer(self, webhooks: "Sequence[sa.Row[*tuple[Any, ...]]]") -> list[str]:
        """Return the ids of the webhooks on a page that belong to the customer or mention the
        customer. Call this method in a thread and without an open transaction, because processing
        long bodies takes seconds."""
        return [row.id for row in webhooks if self._is_theirs(row)]

    async def empty(self, webhook_ids: Sequence[str]) -> dict[str, int]:
        """Clear the contents of these webhooks, and return the number of webhooks cleared. Webhooks
        that are still queued then have no effect."""
        emptied = await self._connection.execute(
            sa.update(inbound_webhooks)
            .where(
                inbound_webhooks.c.client_id == self._tenant,
                inbound_webhooks.c.id.in_(webhook_ids),
            )
            .values(body=None, headers={}, customer_key=None)
        )
        return {"inbound_webhooks, emptied": emptied.rowcount}

    async def remove_orders_and_requests(self) -> dict[str, int]:
        """Remove the facts about the customer's orders, and the customer's data requests. Return
        the number of rows removed by record class."""
        facts = await self._connection.execute(
            sa.delete(order_facts).where(
                order_facts.c.client_id == self._tenant, order_facts.c.customer_key == self._key
            )
        )
        # There are few rows. Their addresses are compared in Python, like all addresses in this
        # module.
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
