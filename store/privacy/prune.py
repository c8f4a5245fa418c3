"""Pruning: rows whose time is over, in batches that hold no lock for long."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.core.repository import some_of
from store.webhooks.tables import outbox

_BATCH: Final = 5_000
# Each with all its messages.
_SESSIONS: Final = 200


async def prune_older(table: sa.Table, connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of a table's rows made before a time; 0 if none is left."""
    old = some_of(table, _BATCH, table.c.created_at < before)
    return (await connection.execute(sa.delete(table).where(old))).rowcount


async def prune_widget_sessions(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of sessions of widgets unused since before a time; 0 if none is left.

    Their messages are then of no session: should the visitor come back, the old ones are not shown,
    and the new ones are numbered from 1.
    """
    return int(
        await connection.scalar(_PRUNE_SESSIONS, {"before": before, "limit": _SESSIONS}) or 0
    )


_PRUNE_SESSIONS: Final = sa.text("""
    WITH gone AS (
        DELETE FROM widget_sessions
        WHERE used_at < :before AND (client_id, id) IN (
            SELECT client_id, id FROM widget_sessions WHERE used_at < :before LIMIT :limit)
        RETURNING client_id, id
    ), freed AS (
        UPDATE engine_messages message SET widget_session_id = NULL, widget_number = NULL
        FROM gone
        WHERE message.client_id = gone.client_id AND message.widget_session_id = gone.id
    )
    SELECT count(*) FROM gone
""")


async def empty_bodies(connection: AsyncConnection, before: datetime) -> int:
    """Empty the bodies of a batch of what was told before a time; 0 if none is left.

    Their rows stay: each is the mark that it was told.
    """
    old = some_of(outbox, _BATCH, outbox.c.body.is_not(None), outbox.c.created_at < before)
    return (await connection.execute(sa.update(outbox).where(old).values(body=None))).rowcount
