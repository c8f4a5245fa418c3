"""Reading a review with a generic plan, in a database without statistics."""

import pytest
import sqlalchemy as sa

from store.core.database import Database
from store.reviews.reviews import read_review
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import open_shop


@pytest.mark.own_database
async def test_it_is_quick_in_a_database_that_was_never_analysed(database: Database) -> None:
    """It took 2.5 s after ten reads on a connection; under load that exceeds the limit."""
    shop = await open_shop(database)
    review_ids = [await open_review(database, shop) for _ in range(60)]

    async with database.reading(shop.tenant) as connection:
        # PostgreSQL chooses this by itself after a few executions of a prepared statement.
        await connection.execute(sa.text("SET LOCAL plan_cache_mode = force_generic_plan"))
        await connection.execute(sa.text("SET LOCAL statement_timeout = '1s'"))
        review = await read_review(connection, shop.client_id, review_ids[-1])

    assert review.id == review_ids[-1]
