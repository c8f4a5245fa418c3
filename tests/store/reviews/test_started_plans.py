"""A plan with a started step keeps its steps: no correction replaces it."""

from datetime import UTC, datetime

import pytest

from adapters.system import new_ulid
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.runs.teammate_reply import FIRST_STEP
from store.core.database import Database
from store.reviews.later_turns import LaterTurns, ReviewAsRead, Revision
from store.reviews.tables import escalation_tickets
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import action_ledger
from tests.support.agent.later_turns import thought_of
from tests.support.core.rows import only_row
from tests.support.reviews.reviews import open_review, refund
from tests.support.tenants.shop import Shop

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def start(database: Database, shop: Shop, review_id: str, state: StepState | None) -> None:
    """Start the first step in the previous round. `state`: None if its outcome is not written."""
    review = await only_row(database, escalation_tickets, id=review_id)
    place = LedgerPlace(review["run_id"], 0, 0)
    async with database.tenant(shop.tenant) as connection:
        ledger = ActionLedger(connection, shop.tenant)
        await ledger.begin(place, Effect(ActionKind.REFUND), entry_id=new_ulid(), now=NOW)
        if state is not None:
            outcome = StepOutcome(kind=ActionKind.REFUND, state=state)
            await ledger.finish(place, outcome, reference="", now=NOW)


async def read(database: Database, shop: Shop, review_id: str) -> ReviewAsRead | None:
    async with database.tenant(shop.tenant) as connection:
        return await LaterTurns(connection, shop.tenant).waiting(review_id)


@pytest.mark.parametrize("state", [StepState.DONE, StepState.UNKNOWN, StepState.FAILED, None])
async def test_a_started_plan_is_not_replaced(
    database: Database, shop: Shop, state: StepState | None
) -> None:
    review_id = await open_review(database, shop, plan=(refund(4990),))
    before = await read(database, shop, review_id)
    assert before is not None
    await start(database, shop, review_id, state)

    assert await read(database, shop, review_id) is None
    other = refund(3500).model_copy(update={"order_number": "1043"})
    thought = thought_of("Autre brouillon.", other)
    async with database.tenant(shop.tenant) as connection:
        turns = LaterTurns(connection, shop.tenant)
        to = Revision(thought, None, used=frozenset(), covered=frozenset())
        assert not await turns.revise(review_id, before, to)
    row = await only_row(database, escalation_tickets, id=review_id)
    assert (row["revision"], row["plan"][0]["order_number"]) == (0, "1042")


async def test_a_claim_that_was_given_back_leaves_the_plan_open(
    database: Database, shop: Shop
) -> None:
    review_id = await open_review(database, shop, plan=(refund(4990),))
    await start(database, shop, review_id, None)
    review = await only_row(database, escalation_tickets, id=review_id)
    entry = await only_row(database, action_ledger, run_id=review["run_id"])
    async with database.tenant(shop.tenant) as connection:
        place = LedgerPlace(review["run_id"], 0, 0)
        await ActionLedger(connection, shop.tenant).release(place, entry["id"])

    assert await read(database, shop, review_id) is not None


async def test_a_members_reply_is_no_step_of_the_plan(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop, plan=(refund(4990),))
    review = await only_row(database, escalation_tickets, id=review_id)
    place = LedgerPlace(review["run_id"], FIRST_STEP, 0)
    async with database.tenant(shop.tenant) as connection:
        ledger = ActionLedger(connection, shop.tenant)
        await ledger.begin(place, Effect(ActionKind.REPLY), entry_id=new_ulid(), now=NOW)

    assert await read(database, shop, review_id) is not None
