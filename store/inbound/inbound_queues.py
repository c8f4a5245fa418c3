"""The inbound queues, which order the processing of a client's webhooks.

A client has one queue for tickets and one for other webhooks. Each processes one webhook at a time,
its head. A ticket that waits for its customer's limit, or the limit on unverified senders, is not a
head and does not block the others.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.inbound_webhook import WebhookKind
from store.core.repository import TenantRepository


async def lock_queues(connection: AsyncConnection, tenant: TenantId) -> None:
    """Lock the client's inbound queues until the transaction ends.

    All writers of `inbound_webhooks` do so, because a webhook must not be queued behind one that
    has just ended. Lock the account before the queues, never after them.
    """
    await connection.execute(_LOCK, {"name": f"inbound lanes/{tenant}"})


class InboundQueues(TenantRepository):
    """The inbound queues of one client. The transaction must hold the lock on the queues."""

    async def is_idle(self, kind: WebhookKind) -> bool:
        """Return True if the queue for this kind of webhook is empty and has no head. A new webhook
        is then processed immediately."""
        return not await self._connection.scalar(_IS_BUSY, self._queue(kind))

    async def take_next(self, kind: WebhookKind) -> str | None:
        """Make the first queued webhook the head of its queue, and return the webhook's id. Return
        None if the queue already has a head or is empty."""
        taken: str | None = await self._connection.scalar(_TAKE_NEXT, self._queue(kind))
        return taken

    async def heads(self, kind: WebhookKind) -> tuple[str, ...]:
        """Return the ids of the queue's webhooks that are in progress. The workflows of these
        webhooks should be running."""
        return tuple(await self._connection.scalars(_HEADS, self._queue(kind)))

    def _queue(self, kind: WebhookKind) -> dict[str, object]:
        return {"client_id": self._tenant, "kinds": list(_queue_kinds(kind))}


def _queue_kinds(kind: WebhookKind) -> tuple[WebhookKind, ...]:
    if kind is WebhookKind.TICKET:
        return (WebhookKind.TICKET,)
    return (WebhookKind.FACT, WebhookKind.DUTY)


_LOCK: Final = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
_OF_QUEUE: Final = "client_id = :client_id AND kind = ANY(CAST(:kinds AS text[]))"
IS_HEAD: Final = """(state = 'working' OR (
    state = 'waiting' AND waits_for NOT IN ('customer_limit', 'unproved_limit')
))"""
_IS_BUSY: Final = sa.text(f"""
    SELECT EXISTS (SELECT FROM inbound_webhooks WHERE {_OF_QUEUE} AND state = 'queued')
        OR EXISTS (SELECT FROM inbound_webhooks WHERE {_OF_QUEUE} AND {IS_HEAD})
""")  # noqa: S608 - constants
# For each kind, one index scan reads a single row. Scanning the whole queue would be slow because
# the queue may be long.
_TAKE_NEXT: Final = sa.text(f"""
    UPDATE inbound_webhooks SET state = 'working'
    WHERE client_id = :client_id AND id = (
        SELECT min(first.id)
        FROM unnest(CAST(:kinds AS text[])) AS lane(kind)
        CROSS JOIN LATERAL (
            SELECT id FROM inbound_webhooks
            WHERE client_id = :client_id AND kind = lane.kind AND state = 'queued'
            ORDER BY id LIMIT 1
        ) AS first
    ) AND NOT EXISTS (SELECT FROM inbound_webhooks WHERE {_OF_QUEUE} AND {IS_HEAD})
    RETURNING id
""")  # noqa: S608
_HEADS: Final = sa.text(f"""
    SELECT id FROM inbound_webhooks WHERE {_OF_QUEUE} AND state = 'working' ORDER BY id
""")  # noqa: S608
