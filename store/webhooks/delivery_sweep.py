"""The sweep for overdue deliveries of all clients."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.webhooks.tables import webhook_deliveries

_TABLE: Final = webhook_deliveries.c


@dataclass(frozen=True, slots=True)
class LeftPending:
    client_id: str
    delivery_id: str
    created_at: datetime


async def deliveries_left_pending(
    connection: AsyncConnection, *, before: datetime, after: LeftPending | None, limit: int
) -> list[LeftPending]:
    """Return a page of pending deliveries, across all clients, that were due before `before`,
    oldest first. A delivery is due at its creation or next attempt. `after` is the last position on
    the previous page."""
    query = (
        sa.select(_TABLE.client_id, _TABLE.id, _TABLE.created_at)
        .where(
            _TABLE.status == sa.literal_column("'pending'"),
            # The next attempt is later than the creation, so every overdue delivery satisfies this
            # condition.
            _TABLE.created_at < before,
            sa.func.coalesce(_TABLE.next_attempt_at, _TABLE.created_at) < before,
        )
        .order_by(_TABLE.created_at, _TABLE.id)
        .limit(limit)
    )
    if after is not None:
        place = sa.tuple_(_TABLE.created_at, _TABLE.id)
        query = query.where(place > sa.tuple_(after.created_at, after.delivery_id))
    rows = await connection.execute(query)
    return [LeftPending(row.client_id, row.id, row.created_at) for row in rows]
