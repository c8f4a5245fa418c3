"""Pruning: rows whose time is over, in batches that hold no lock for long."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.webhooks.tables import outbox

_BATCH: Final = 5_000


async def prune_older(table: sa.Table, connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of a table's rows made before a time; 0 if none is left."""
    key = sa.tuple_(*table.primary_key.columns)
    old = sa.select(*table.primary_key.columns).where(table.c.created_at < before).limit(_BATCH)
    return (await connection.execute(sa.delete(table).where(key.in_(old)))).rowcount


async def empty_bodies(connection: AsyncConnection, before: datetime) -> int:
    """Empty the bodies of a batch of what was told before a time; 0 if none is left.

    Their rows stay: each is the mark that it was told.
    """
    key = sa.tuple_(*outbox.primary_key.columns)
    old = (
        sa.select(*outbox.primary_key.columns)
        .where(outbox.c.body.is_not(None), outbox.c.created_at < before)
        .limit(_BATCH)
    )
    emptied = sa.update(outbox).where(key.in_(old)).values(body=None)
    return (await connection.execute(emptied)).rowcount
