"""A review whose plan the agent changes, without a run."""

from domain.agent.plan import PlannedAction
from store.core.database import Database
from store.reviews.later_turns import LaterTurns, Revision
from tests.support.agent.later_turns import thought_of
from tests.support.tenants.shop import Shop


async def revise(
    database: Database, shop: Shop, review_id: str, text: str, *plan: PlannedAction
) -> None:
    """Replace the draft and the plan, as the agent does after a new customer message."""
    async with database.tenant(shop.tenant) as connection:
        turns = LaterTurns(connection, shop.tenant)
        before = await turns.waiting(review_id)
        assert before is not None
        to = Revision(thought_of(text, *plan), None, used=frozenset(), covered=frozenset())
        assert await turns.revise(review_id, before, to)
