"""The newest events of a client's outbox."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from domain.webhooks.webhook import EVENT_IDS
from store.core.repository import TenantRepository
from store.webhooks.tables import outbox


@dataclass(frozen=True, slots=True)
class OutboxEvent:
    """An event and its body, as webhooks deliver it."""

    id: str
    event: str
    body: bytes
    created_at: datetime


class OutboxTail(TenantRepository):
    async def since(self, at: datetime, *, limit: int) -> tuple[OutboxEvent, ...]:
        """Return the events that were created at or after `at`, oldest first, at most `limit`.
        Events whose body was cleared are omitted."""
        rows = await self._connection.execute(
            sa.select(outbox.c.id, outbox.c.event, outbox.c.body, outbox.c.created_at)
            .where(
                outbox.c.client_id == self._tenant,
                outbox.c.created_at >= at,
                outbox.c.body.is_not(None),
                outbox.c.event.in_(EVENT_IDS),
            )
            .order_by(outbox.c.created_at, outbox.c.id)
            .limit(limit)
        )
        return tuple(
            OutboxEvent(row.id, row.event, bytes(row.body), row.created_at) for row in rows
        )
