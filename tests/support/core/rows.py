"""What is in the database, as tests look at it."""

from typing import Any

import sqlalchemy as sa

from store.core.database import Database
from store.metadata import metadata


async def row_counts(database: Database) -> dict[str, int]:
    """The number of rows of every table."""
    async with database.service() as connection:
        return {
            name: int(await connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
            for name, table in metadata.tables.items()
        }


async def rows(database: Database, table: sa.Table, **where: object) -> list[dict[str, Any]]:
    """The rows of a table whose columns have these values."""
    query = sa.select(table)
    for name, value in where.items():
        query = query.where(table.c[name] == value)
    async with database.service() as connection:
        return [dict(row._mapping) for row in await connection.execute(query)]


async def only_row(database: Database, table: sa.Table, **where: object) -> dict[str, Any]:
    found = await rows(database, table, **where)
    assert len(found) == 1, f"{table.name}: {len(found)} rows, one expected"
    return found[0]
