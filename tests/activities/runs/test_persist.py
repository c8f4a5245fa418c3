"""Persist: the outcome of a run and its duration."""

import asyncio
from datetime import timedelta

import sqlalchemy as sa

from activities.runs.persist import Persist
from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.core.contracts import RunRef
from domain.runs.contracts import PersistInput
from domain.runs.run import RunStatus
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.locks import until_waiting
from tests.support.core.rows import only_row
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop


async def test_what_was_begun_before_the_executor_broke_off_is_shown(
    engine: LiveEngine, shop: Shop
) -> None:
    """Reviewers see which actions were already executed."""
    body = (await engine.post(shop, message=UNSURE_MESSAGE)).json()
    ref = RunRef(client_id=shop.client_id, event_id=body["event_id"], run_id=body["run_id"])
    place = LedgerPlace(ref.run_id, 0, 0)
    async with engine.database.tenant(shop.tenant) as connection:
        await ActionLedger(connection, shop.tenant).record(
            place, Effect(ActionKind.REFUND), entry_id=new_ulid(), now=utc_now()
        )

    broken = PersistInput(
        ref=ref,
        status=RunStatus.NEEDS_REVIEW,
        escalation=EscalationReason.TOOL_FAILURE,
        review_expiry_s=60,
        round=1,
    )
    await Persist(engine.database, utc_now, new_ulid).persist(broken)

    run = await only_row(engine.database, engine_runs, of=shop)
    assert [(step["kind"], step["state"]) for step in run["steps"]] == [("refund", "done")]


async def test_a_duration_ends_where_the_outcome_is_written(engine: LiveEngine, shop: Shop) -> None:
    """The duration includes the wait for another transaction's lock."""
    body = (await engine.post(shop, message=UNSURE_MESSAGE)).json()
    ref = RunRef(client_id=shop.client_id, event_id=body["event_id"], run_id=body["run_id"])
    of_run = engine_runs.c.id == ref.run_id
    received_at = (await only_row(engine.database, engine_runs, of=shop))["received_at"]
    async with engine.database.service() as connection:
        never_ended = {"status": "received", "duration_ms": None, "answer": None}
        await connection.execute(sa.update(engine_runs).where(of_run).values(**never_ended))
    now = received_at + timedelta(seconds=2)
    failed = PersistInput(
        ref=ref, status=RunStatus.FAILED, error_code="brain_failed", review_expiry_s=60
    )

    async with engine.database.service() as connection:
        await connection.execute(sa.select(engine_runs.c.id).where(of_run).with_for_update())
        persist = Persist(engine.database, lambda: now, new_ulid)
        writing = asyncio.create_task(persist.persist(failed))
        await until_waiting(engine.database)
        now = received_at + timedelta(seconds=9)
    stored = await writing

    run = await only_row(engine.database, engine_runs, of=shop)
    assert (stored.duration_ms, run["duration_ms"]) == (9000, 9000)
    assert run["finished_at"] == now
