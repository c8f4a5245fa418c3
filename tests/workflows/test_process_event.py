"""The run as a workflow: failures, history, retries."""

import asyncio
import dataclasses
from datetime import timedelta

import pytest
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RPCError

from adapters.temporal.setup import ensure_sweep_schedule
from domain.agent.brain import BrainAnswer, BrainRequest
from domain.core.contracts import RunRef
from domain.core.names import SWEEP, SWEEP_SCHEDULE
from domain.reviews.escalation import Decision
from domain.runs.contracts import ProcessEventInput, SweepInput
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine, think_with
from tests.support.core.histories import history_bytes
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.intake.admission import admit_event
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from workflows import options

CANARY = "quetzal-canary-77"


class BrokenBrain:
    """Fails with the customer's text in its error message, as careless libraries do."""

    async def think(self, request: BrainRequest) -> BrainAnswer:
        raise ValueError(f"cannot parse {request.text!r}")


async def test_a_mail_under_way_when_the_time_is_up_is_not_called_unsent(
    engine: LiveEngine, shop: Shop, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Temporal times the attempt out and reports the previous attempt's error."""
    monkeypatch.setitem(options.OUTSIDE, "schedule_to_close_timeout", timedelta(seconds=3))
    mail.recipient_reply = "451 later"
    asked = {"event_type": "email.inbound", "customer_email": "a@b.example"}
    call = asyncio.ensure_future(engine.post(shop, **asked, message=ORDER_QUESTION))
    await eventually(lambda: _put_off(mail))
    mail.recipient_reply, mail.pause_s = "250 ok", 3

    assert (await call).json()["status"] == "needs_review"


async def _put_off(mail: MailServer) -> bool:
    return mail.refused > 0


@pytest.mark.usefixtures("tried_quickly")
async def test_broken_brain_leaves_the_message_to_people(
    idle_engine: LiveEngine, shop: Shop
) -> None:
    idle_engine.activities = dataclasses.replace(
        idle_engine.activities, think=think_with(idle_engine.database, BrokenBrain())
    )
    async with idle_engine.working():
        answer = await idle_engine.post(shop, message=f"{ORDER_QUESTION} {CANARY}")

        body = answer.json()
        assert (answer.status_code, body["status"], body["response"]) == (200, "needs_review", "")
        run = await only_row(idle_engine.database, engine_runs, of=shop)
        assert (run["status"], run["error_code"]) == ("needs_review", None)
        assert run["model_fault"] == "internal_error"
        history = await history_bytes(idle_engine.run_of(shop, body["event_id"]))
        assert b"ValueError" in history
        assert CANARY.encode() not in history


async def test_histories_hold_no_customer_text(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """A canary in every customer-controlled field, searched for in every history."""
    mail.recipient_reply = f"550 {CANARY} no such user"
    for event_type, message in (
        ("shopify.ticket.created", ORDER_QUESTION),
        ("email.inbound", ORDER_QUESTION),
        ("widget.chat.message", UNSURE_MESSAGE),
    ):
        answer = await engine.post(
            shop,
            event_type=event_type,
            source=f"source {CANARY}",
            customer_email=f"{CANARY}@example.com",
            customer_name=f"Name {CANARY}",
            order_number=f"{CANARY}",
            subject=f"Subject {CANARY}",
            message=f"{message} {CANARY}",
        )
        assert answer.status_code == 200

    searched = 0
    async for execution in engine.client.list_workflows():
        if shop.client_id not in execution.id:
            continue  # another test's
        history = await history_bytes(engine.client.get_workflow_handle(execution.id))
        assert shop.client_id.encode() in history  # payloads can be searched
        assert CANARY.encode() not in history
        assert CANARY not in execution.id
        searched += 1
    assert searched == 3


async def test_operators_can_filter_by_outcome(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message=ORDER_QUESTION)).json()

    description = await engine.run_of(shop, body["event_id"]).describe()

    found = {pair.key.name: pair.value for pair in description.typed_search_attributes}
    assert found["RunStatus"] == "completed"
    assert found["Classification"] == "order_status"
    assert description.id == f"event/{shop.client_id}/{body['event_id']}"


async def test_replays_itself_at_every_task(idle_engine: LiveEngine, shop: Shop) -> None:
    """Without a cache, each task replays the run from its start, which would reveal
    nondeterminism."""
    async with idle_engine.working(max_cached_workflows=0):
        sure = (await idle_engine.post(shop, message=ORDER_QUESTION)).json()
        mailed = await idle_engine.post(
            shop, event_type="email.inbound", customer_email="a@b.example", message=ORDER_QUESTION
        )

    assert sure["status"] == "completed"
    assert mailed.json()["status"] == "completed"


@pytest.mark.own_database
async def test_sweep_starts_what_was_left_received(idle_engine: LiveEngine, shop: Shop) -> None:
    """As after a crash between admission's commit and the workflow's start."""
    event_id, run_id = await _admit_only(idle_engine, shop)

    async with idle_engine.working():
        result = await idle_engine.client.execute_workflow(
            SWEEP, SweepInput(older_than_s=0), id="sweep-now", task_queue="engine"
        )
        await idle_engine.run_of(shop, event_id).result()

    assert result == {"picked_up": 1, "failed": 0}
    run = await only_row(idle_engine.database, engine_runs, id=run_id)
    assert run["status"] == "completed"


@pytest.mark.own_database
async def test_sweep_leaves_young_runs_alone(idle_engine: LiveEngine, shop: Shop) -> None:
    await _admit_only(idle_engine, shop)

    async with idle_engine.working():
        result = await idle_engine.client.execute_workflow(
            SWEEP, SweepInput(older_than_s=60), id="sweep-now", task_queue="engine"
        )

    assert result == {"picked_up": 0, "failed": 0}


@pytest.mark.own_database
async def test_sweep_starts_anew_what_was_terminated(idle_engine: LiveEngine, shop: Shop) -> None:
    event_id, _ = await _admit_only(idle_engine, shop)
    sweep = SweepInput(older_than_s=0)
    # No worker is running: the run is started manually and terminated at once.
    await idle_engine.client.start_workflow(
        "ProcessEvent",
        {"ref": {"client_id": shop.client_id, "event_id": event_id, "run_id": "x"}, "threshold": 1},
        id=f"event/{shop.client_id}/{event_id}",
        task_queue="engine",
    )
    await idle_engine.run_of(shop, event_id).terminate()

    async with idle_engine.working():
        await idle_engine.client.execute_workflow(SWEEP, sweep, id="s", task_queue="engine")
        await idle_engine.run_of(shop, event_id).result()

    (run,) = await rows(idle_engine.database, engine_runs, of=shop)
    assert run["status"] == "completed"


async def test_sweep_wakes_a_run_whose_signal_was_lost(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message=UNSURE_MESSAGE)).json()
    escalation = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(escalation["id"], Decision.EDIT, "Bien sûr.", signal=False)

    await engine.client.execute_workflow(
        SWEEP, SweepInput(older_than_s=0), id="s", task_queue="engine"
    )
    await engine.run_of(shop, body["event_id"]).result()

    run = await only_row(engine.database, engine_runs, of=shop)
    assert (run["status"], run["response"]) == ("completed", "Bien sûr.")


@pytest.mark.own_database
async def test_schedule_sweeps(idle_engine: LiveEngine, shop: Shop) -> None:
    """The schedule itself, created twice as by two concurrent workers."""
    event_id, _ = await _admit_only(idle_engine, shop)
    for _ in range(2):
        await ensure_sweep_schedule(idle_engine.client, SweepInput(older_than_s=0), 3600)

    async with idle_engine.working():
        await idle_engine.client.get_schedule_handle(SWEEP_SCHEDULE).trigger()
        status = await eventually(lambda: _closed(idle_engine, shop, event_id))

    assert status is WorkflowExecutionStatus.COMPLETED


async def test_closed_run_is_not_started_again(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message=ORDER_QUESTION)).json()
    ref = RunRef(client_id=shop.client_id, event_id=body["event_id"], run_id=body["run_id"])

    started = await engine.engine.start(ProcessEventInput(ref=ref, threshold=0.7))

    assert started is False
    description = await engine.run_of(shop, body["event_id"]).describe()
    assert description.status is WorkflowExecutionStatus.COMPLETED


async def _admit_only(engine: LiveEngine, shop: Shop) -> tuple[str, str]:
    """Return (event_id, run_id) of a run that was admitted and never started."""
    admitted = await admit_event(
        engine.database, shop, event_type="api_direct", message=ORDER_QUESTION
    )
    return admitted.ref.event_id, admitted.ref.run_id


async def _closed(engine: LiveEngine, shop: Shop, event_id: str) -> WorkflowExecutionStatus | None:
    """Return how the run's workflow ended, None if it is still running."""
    try:
        status = (await engine.run_of(shop, event_id).describe()).status
    except RPCError:  # not started yet
        return None
    return None if status is WorkflowExecutionStatus.RUNNING else status
