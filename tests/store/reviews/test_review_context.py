"""A review's context: its neighbors in the queue, and the number of open reviews."""

from datetime import timedelta

from adapters.system import utc_now
from domain.reviews.review import Wanted
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.claims import claim_review
from services.reviews.decisions import approve_review
from store.core.database import Database
from store.reviews.open_reviews import count_needs
from store.reviews.review_context import review_context
from store.reviews.reviews import ReviewFilter, list_reviews
from tests.support.core.units import units_on
from tests.support.reviews.reviews import open_review
from tests.support.tenants.joined import join
from tests.support.tenants.shop import open_shop


async def test_neighbours_are_those_that_one_may_decide(database: Database) -> None:
    """In queue order, without reviews claimed by a colleague or approved by the user."""
    shop, now = await open_shop(database), utc_now()
    ids = [
        await open_review(
            database, shop, now=now + timedelta(seconds=n), needs_second=n == 3, text=f"m{n}"
        )
        for n in range(5)
    ]
    mine, theirs = Actor.person("me", Role.AGENT), Actor.person("ben", Role.AGENT)
    async with database.service() as connection:
        await join(connection, shop.client_id, mine.name, Role.AGENT, email=f"{ids[0]}@a.test")
    async with units_on(database).of(shop.tenant) as work:
        await claim_review(work, theirs, ids[1])
        await approve_review(work, mine, ids[3])

    async with database.reading(shop.tenant) as connection:
        found = await review_context(connection, shop.tenant, ids[2], "me", utc_now())
        others = await review_context(connection, shop.tenant, ids[2], "ben", utc_now())
        second = await list_reviews(
            connection, shop.tenant, ReviewFilter(awaits_second=True), limit=9
        )
        decided = await list_reviews(
            connection, shop.tenant, ReviewFilter(status=Wanted.ALL, decided=True), limit=9
        )
        count = await count_needs(connection, shop.tenant, utc_now())
    assert (found.previous_id, found.next_id) == (ids[0], ids[4])
    assert (others.previous_id, others.next_id) == (ids[1], ids[3])
    assert [one.id for one in second] == [ids[3]]
    assert (decided, count) == ([], 5)
