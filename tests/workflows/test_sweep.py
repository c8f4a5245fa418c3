"""The sweep: each step separately, and reviews whose workflow was lost."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from temporalio.client import WorkflowFailureError
from temporalio.service import RPCError, RPCStatusCode

from activities.runs import sweep as sweep_runs
from adapters.system import utc_now
from adapters.temporal.runs import TemporalRuns
from domain.core.errors import InvalidInput
from domain.core.names import REVIEW_DECIDED_SIGNAL, SWEEP
from domain.reviews.contracts import ReviewDecided
from domain.reviews.errors import EscalationDecided
from domain.reviews.escalation import Decision
from domain.runs.contracts import SweepInput, SweepResult
from domain.runs.ports import Execution
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, ai_conversations, engine_messages, engine_runs
from store.webhooks.tables import outbox
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop, open_shop

pytestmark = pytest.mark.own_database

NOTHING = SweepResult(picked_up=0)
WORDS = "Un conseiller vous appelle."


async def _swept(engine: LiveEngine) -> SweepResult:
    result: SweepResult = await engine.client.execute_workflow(
        SWEEP,
        SweepInput(older_than_s=0),
        id="sweep-now",
        task_queue="engine",
        result_type=SweepResult,
    )
    return result


async def _park(engine: LiveEngine, shop: Shop) -> tuple[str, str]:
    """Return (event_id, review_id) of a run that is held for review, and would answer by email."""
    answer = await engine.post(
        shop, event_type="email.inbound", customer_email="a@b.example", message=UNSURE_MESSAGE
    )
    assert answer.json()["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets, of=shop)
    return answer.json()["event_id"], review["id"]


async def _lose(engine: LiveEngine, shop: Shop, event_id: str, how: str) -> None:
    handle = engine.run_of(shop, event_id)
    if how == "terminated":
        await handle.terminate()
        return
    found = await handle.describe()
    runs = TemporalRuns(engine.client)
    await runs.delete([Execution(workflow_id=found.id, run_id=found.run_id)])

    async def gone() -> bool:
        try:
            await handle.describe()
        except RPCError as error:
            return error.status is RPCStatusCode.NOT_FOUND
        return False

    await eventually(gone)


async def _let_time_pass(engine: LiveEngine, review_id: str) -> None:
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.id == review_id)
            .values(expires_at=utc_now() - timedelta(seconds=1))
        )


async def _left(engine: LiveEngine, shop: Shop) -> dict[str, Any]:
    """Return the rows after a review's end, without ids and times."""
    plain = {
        engine_runs: ("status", "response", "error_code"),
        escalation_tickets: ("status", "decision", "decided_by", "note", "draft"),
        ai_conversations: ("proposal", "summary"),
        outbox: ("event",),
    }
    found: dict[str, Any] = {}
    for table, columns in plain.items():
        kept = await rows(engine.database, table, of=shop)
        found[table.name] = [[row[name] for name in columns] for row in kept]
    review = await only_row(engine.database, escalation_tickets, of=shop)
    conversation = await only_row(engine.database, ai_conversations, of=shop)
    found["set"] = [
        review["taken_up_at"] is not None,
        review["decided_at"] is not None,
        conversation["handed_over_at"] is not None,
    ]
    return found


@pytest.mark.parametrize("how", ["terminated", "deleted"])
async def test_a_review_whose_workflow_is_lost_expires_like_any_other(
    idle_engine: LiveEngine, temporal: TemporalServer, shop: Shop, how: str
) -> None:
    async with idle_engine.working():
        event_id, review_id = await _park(idle_engine, shop)
        await _lose(idle_engine, shop, event_id, how)
        assert await _swept(idle_engine) == NOTHING, "its time is not over"

        await _let_time_pass(idle_engine, review_id)
        assert await _swept(idle_engine) == SweepResult(picked_up=1)
        assert await _swept(idle_engine) == NOTHING
    with pytest.raises(EscalationDecided):
        await idle_engine.decide(review_id, Decision.APPROVE)

    other = await open_shop(idle_engine.database)
    namespace, hours = temporal.take_namespace(), 0.1 / 3600
    url = idle_engine.settings.database.url
    async with (
        live_engine(url, temporal.address, namespace, review_expiry_hours=hours) as quick,
        quick.working(),
    ):
        ended, _ = await _park(quick, other)
        await quick.run_of(other, ended).result()
    assert await _left(idle_engine, shop) == await _left(idle_engine, other)


@pytest.mark.parametrize("how", ["terminated", "deleted"])
async def test_a_decision_about_a_lost_run_is_carried_out_once(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, how: str
) -> None:
    async with idle_engine.working():
        event_id, review_id = await _park(idle_engine, shop)
        await _lose(idle_engine, shop, event_id, how)
        await idle_engine.decide(review_id, Decision.EDIT, WORDS)

        assert await _swept(idle_engine) == SweepResult(picked_up=1)
        facts = await idle_engine.run_of(shop, event_id).result()
        await _let_time_pass(idle_engine, review_id)
        assert await _swept(idle_engine) == NOTHING

    assert facts["status"] == "completed"
    assert [plain_text(m).strip() for m in mail.mails] == [WORDS]
    assert (await only_row(idle_engine.database, action_ledger))["state"] == "done"
    assert len(await rows(idle_engine.database, engine_messages, direction="outbound")) == 1
    review = await only_row(idle_engine.database, escalation_tickets)
    assert (review["status"], review["taken_up_at"] is not None) == ("edited", True)


async def test_a_review_that_is_waited_for_is_left_to_its_run(
    idle_engine: LiveEngine, shop: Shop
) -> None:
    """The sweep may come first, and the run then finds its result."""
    async with idle_engine.working():
        event_id, review_id = await _park(idle_engine, shop)
        await _let_time_pass(idle_engine, review_id)
        assert await _swept(idle_engine) == SweepResult(picked_up=1)

        await idle_engine.run_of(shop, event_id).signal(
            REVIEW_DECIDED_SIGNAL, ReviewDecided(escalation_id=review_id)
        )
        facts = await idle_engine.run_of(shop, event_id).result()

    assert facts["status"] == "needs_review"
    assert (await only_row(idle_engine.database, escalation_tickets))["status"] == "expired"


async def test_a_step_that_fails_keeps_no_other_from_its_work(
    idle_engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise InvalidInput("it cannot be read")

    for listing in ("runs_left_received", "decisions_not_taken_up"):
        monkeypatch.setattr(sweep_runs, listing, fail)
    async with idle_engine.working():
        event_id, review_id = await _park(idle_engine, shop)
        await _lose(idle_engine, shop, event_id, "terminated")
        await _let_time_pass(idle_engine, review_id)
        with pytest.raises(WorkflowFailureError) as failed:
            await _swept(idle_engine)

    assert str(failed.value.cause) == "steps_failed: steps failed: invalid_input, invalid_input"
    assert (await only_row(idle_engine.database, escalation_tickets))["status"] == "expired"
