"""A step is not claimed if a human agent has started to answer since the plan was loaded."""

from activities.runs.claim import Job, claim
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome, StepState
from domain.agent.policy_decision import PolicyReason
from domain.core.contracts import RunRef
from services.reviews.replies import undo_reply
from store.core.database import Database
from store.runs.action_ledger import LedgerClaim
from store.runs.cases import CaseRepository
from store.runs.tables import action_ledger
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.reviews.replies import ANNA, conversation_of, written
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

ANSWER = PlannedAction(kind=ActionKind.REPLY)
REPLY, TAG = (PlannedAction(kind=kind) for kind in (ActionKind.REPLY_BY_EMAIL, ActionKind.TAG))


async def _loaded(database: Database, shop: Shop, ref: RunRef) -> Job:
    async with database.tenant(shop.tenant) as connection:
        case = await CaseRepository(connection, shop.tenant).read(ref.run_id)
    return Job(shop.tenant, ref.run_id, 0, case, {})


async def _claimed(
    database: Database, job: Job, action: PlannedAction, index: int
) -> StepOutcome | LedgerClaim:
    return await claim(
        database, job, action, index,
        integration=None, order=None, entry_id=new_ulid(), now=utc_now,
        sealer=FernetSealer(new_seal_key()),
    )  # fmt: skip


async def test_a_reply_that_was_written_meanwhile_keeps_back_the_answer(
    database: Database, shop: Shop
) -> None:
    ref = await write(database, shop)
    job = await _loaded(database, shop, ref)
    reply = await written(database, shop, await conversation_of(database, ref.event_id))

    kept = await _claimed(database, job, REPLY, 1)
    assert kept == StepOutcome.blocked(REPLY.kind, PolicyReason.TAKEN_OVER)
    assert await rows(database, action_ledger, of=shop) == []
    assert isinstance(await _claimed(database, job, TAG, 0), LedgerClaim)

    async with units_on(database).of(shop.tenant) as work:
        await undo_reply(work, ANNA, reply.id)
    assert isinstance(await _claimed(database, job, REPLY, 1), LedgerClaim)


async def test_a_reply_that_was_written_meanwhile_keeps_back_an_answer_in_the_response(
    idle_engine: LiveEngine, shop: Shop
) -> None:
    """A recorded answer remains, because its step may be repeated."""
    database, execute = idle_engine.database, idle_engine.activities.execute
    ref = await write(database, shop)
    job = await _loaded(database, shop, ref)
    conversation_id = await conversation_of(database, ref.event_id)
    reply = await written(database, shop, conversation_id)

    kept = await execute._answer_in_place(job, ANSWER, 1)
    assert kept == StepOutcome.blocked(ANSWER.kind, PolicyReason.TAKEN_OVER)
    assert await rows(database, action_ledger, of=shop) == []

    async with units_on(database).of(shop.tenant) as work:
        await undo_reply(work, ANNA, reply.id)
    for _ in range(2):
        assert (await execute._answer_in_place(job, ANSWER, 1)).state is StepState.DONE
        await written(database, shop, conversation_id, "Encore.")
