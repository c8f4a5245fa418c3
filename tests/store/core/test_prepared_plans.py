"""Prepared statements of a connection, while their tables grow."""

import pytest
import sqlalchemy as sa

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
