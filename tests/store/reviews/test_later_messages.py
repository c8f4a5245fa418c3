"""The later messages of a review, as the agent reads them."""

import sqlalchemy as sa

from domain.agent.size_limits import READ_CHARS
from domain.runs.later_turn import MOST_MERGED
from store.core.database import Database
from store.intake.tables import engine_events
from store.reviews.later_turns import LaterTurns
from tests.support.agent.policy_context import an_event
from tests.support.reviews.conversations import converse, write_and_join
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop


async def test_the_latest_messages_are_read_in_part(database: Database, shop: Shop) -> None:
    """Hundreds of long messages neither fill the worker's memory nor occupy it."""
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    unified = an_event().model_dump(mode="json", exclude={"subject", "text"})
    joined = [
        await write_and_join(database, shop, conversation_id, str(n))
        for n in range(MOST_MERGED + 4)
    ]
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.id.in_(joined))
            .values(unified=unified, text="x" * 100_000)
        )
        read = await LaterTurns(connection, shop.tenant).waiting(review_id)

    assert read is not None
    assert [one.event_id for one in read.later] == joined[-MOST_MERGED - 1 :]
    assert {len(one.event.text) for one in read.later} == {READ_CHARS + 1}
