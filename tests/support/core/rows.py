"""Reading the database in tests."""

from typing import Any

import sqlalchemy as sa

from store.core.database import Database
from store.metadata import metadata
from store.tenants.tables import clients
from tests.support.tenants.shop import Shop


def owned(table: sa.Table, shop: Shop) -> sa.ColumnElement[bool]:
    """Return a condition for this client's rows in the table."""
    return table.c["id" if table is clients else "client_id"] == shop.client_id


async def row_counts(database: Database, *, of: Shop | None = None) -> dict[str, int]:
    """Return the number of rows in every table, or of the client `of` in client tables, without the
    effects of other clients."""
    counts: dict[str, int] = {}
    async with database.service() as connection:
        for name, table in metadata.tables.items():
            query = sa.select(sa.func.count()).select_from(table)
            if of is not None:
                if table is not clients and "client_id" not in table.c:
                    continue
                query = query.where(owned(table, of))
            counts[name] = int(await connection.scalar(query) or 0)
    return counts


async def rows(
    database: Database, table: sa.Table, *, of: Shop | None = None, **where: object
) -> list[dict[str, Any]]:
    """Return a table's rows with these column values. `of`: return only this client's rows."""
    query = sa.select(table)
    if of is not None:
        query = query.where(owned(table, of))
    for name, value in where.items():
        query = query.where(table.c[name] == value)
    async with database.service() as connection:
        return [dict(row._mapping) for row in await connection.execute(query)]


async def only_row(
    database: Database, table: sa.Table, *, of: Shop | None = None, **where: object
) -> dict[str, Any]:
    found = await rows(database, table, of=of, **where)
    assert len(found) == 1, f"{table.name}: {len(found)} rows, one expected"
    return found[0]


async def fingerprints(database: Database) -> dict[str, str]:
    """Return a hash of each table's content for all clients, to detect changes."""
    tables = " UNION ALL ".join(
        f"SELECT '{name}' AS name, coalesce(md5(string_agg(t::text, chr(10) ORDER BY t::text)), '')"  # noqa: S608
        f" AS digest FROM {name} t"
        for name in metadata.tables
    )
    async with database.service() as connection:
        return {row.name: row.digest for row in await connection.execute(sa.text(tables))}
