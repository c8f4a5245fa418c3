"""Pruning: rows whose time is over, in batches that hold no lock for long."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

_BATCH: Final = 5_000


async def prune_older(connection: AsyncConnection, table: sa.Table, before: datetime) -> int:
    """Delete a batch of a table's rows made before a time; 0 if none is left."""
    key = sa.tuple_(*table.primary_key.columns)
    old = sa.select(*table.primary_key.columns).where(table.c.created_at < before).limit(_BATCH)
    return (await connection.execute(sa.delete(table).where(key.in_(old)))).rowcount
