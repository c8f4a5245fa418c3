"""Copied reviews are complete: each has its own run, event and message."""

import sqlalchemy as sa

from bench.parked import copy_up_to
from store.core.database import Database
from store.reviews.reviews import ReviewFilter, list_reviews
from store.runs.tables import engine_messages
from tests.support.core.postgres import as_owner
from tests.support.core.rows import row_counts
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import open_shop

_REVIEWS = 100


async def test_reviews_are_copied_whole(database: Database, database_url: str) -> None:
    for _ in range(2):
        shop = await open_shop(database)
        for _ in range(3):
            await open_review(database, shop)
    copy_up_to(as_owner(database_url), _REVIEWS)

    counts = await row_counts(database)
    tables = (
        "engine_events", "engine_messages", "usage_ledger", "engine_runs", "escalation_tickets"
    )  # fmt: skip
    assert {counts[table] for table in tables} == {_REVIEWS}
    async with database.service() as connection:
        found = await list_reviews(connection, None, ReviewFilter(), limit=_REVIEWS + 1)
        events = await connection.scalar(
            sa.select(sa.func.count(sa.distinct(engine_messages.c.event_id)))
        )
    assert len({review.run_id for review in found}) == events == _REVIEWS
