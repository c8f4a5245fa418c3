"""Prepared statements of a connection, while their tables grow."""

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.core import database as database_module
from store.core.database import Database
from store.reviews.reviews import read_review
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import open_shop

# psycopg prepares a statement after five executions, and PostgreSQL would keep a generic plan after
# five more.
_OFTEN = 12


@pytest.mark.own_database
async def test_no_plan_outlives_the_tables_it_was_made_for(database_url: str) -> None:
    """A plan for almost empty tables took four seconds with 2,000 rows."""
    database = Database(database_url, pool_size=1)
    shop = await open_shop(database)
    review_id = await open_review(database, shop)

    for _ in range(_OFTEN):
        async with database.reading(shop.tenant) as connection:
            await read_review(connection, shop.client_id, review_id)

    async with database.unscoped() as connection:
        prepared = (
            await connection.execute(
                sa.text(
                    "SELECT sum(custom_plans) AS made, sum(generic_plans) AS kept "
                    "FROM pg_prepared_statements WHERE statement LIKE '%escalation_tickets%'"
                )
            )
        ).one()
    await database.close()

    assert prepared.made >= 2 * (_OFTEN - 5)
    assert prepared.kept == 0


async def _plan(connection: AsyncConnection) -> str:
    rows = await connection.exec_driver_sql("EXPLAIN EXECUTE one_thing ('1')")
    return "\n".join(row[0] for row in rows)


@pytest.mark.own_database
async def test_a_kept_plan_is_discarded_when_it_is_too_old(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statements of each event keep their plans for a moment, and no longer, because the plan
    that is best for an almost empty table is slow once the table has grown."""
    database = Database(database_url, pool_size=1)
    shop = await open_shop(database)
    async with database.unscoped() as connection:
        await connection.exec_driver_sql("CREATE TEMP TABLE things (id text PRIMARY KEY)")
        await connection.exec_driver_sql("INSERT INTO things VALUES ('1')")
        await connection.exec_driver_sql("ANALYZE things")
        await connection.exec_driver_sql(
            "PREPARE one_thing (text) AS SELECT FROM things WHERE id = $1"
        )
    for _ in range(_OFTEN):
        async with database.tenant(shop.tenant, keeps_plans=True) as connection:
            await connection.exec_driver_sql("EXECUTE one_thing ('1')")
    async with database.unscoped() as connection:
        await connection.exec_driver_sql(
            "INSERT INTO things SELECT 'x' || n FROM generate_series(1, 20000) AS n"
        )

    monkeypatch.setattr(database_module, "PLANS_KEPT_S", 3600.0)
    async with database.tenant(shop.tenant, keeps_plans=True) as connection:
        kept = await _plan(connection)
    async with database.tenant(shop.tenant) as connection:
        own = await _plan(connection)
    monkeypatch.setattr(database_module, "PLANS_KEPT_S", 0.0)
    async with database.reading(shop.tenant, keeps_plans=True) as connection:
        renewed = await _plan(connection)
    await database.close()

    assert kept.startswith("Seq Scan")
    assert own.startswith("Index Only Scan")
    assert renewed.startswith("Index Only Scan")
