"""A deploy that is incompatible with the histories: waiting runs stop, and nothing is lost."""

from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.client import WorkflowExecutionStatus, WorkflowHandle

from domain.reviews.escalation import Decision
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.runs.changed_process_event import UngatedProcessEvent
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop
from workers import engine as engine_worker
from workflows.process_event import ProcessEvent


@pytest.mark.slow
async def test_a_bad_deploy_suspends_a_parked_run_and_the_rollback_heals_it(
    idle_engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with idle_engine.working():
        parked = (await idle_engine.post(shop, message=UNSURE_MESSAGE)).json()
    assert parked["status"] == "needs_review"
    run = idle_engine.run_of(shop, parked["event_id"])
    review = await idle_engine.review_of(parked["run_id"], round_=0)

    bad = [
        UngatedProcessEvent if known is ProcessEvent else known for known in engine_worker.WORKFLOWS
    ]
    with monkeypatch.context() as deployed:
        deployed.setattr(engine_worker, "WORKFLOWS", bad)
        async with idle_engine.working():
            await idle_engine.decide(review["id"], Decision.EDIT, "Bonjour, je vous rappelle.")
            await eventually(lambda: _does_not_fit(run))
            assert (await run.describe()).status is WorkflowExecutionStatus.RUNNING

    async with idle_engine.working():
        assert (await run.result())["status"] == "completed"


async def _does_not_fit(run: WorkflowHandle[Any, Any]) -> bool:
    history = await run.fetch_history()
    return any(
        event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
        and event.workflow_task_failed_event_attributes.cause
        == WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR
        for event in history.events
    )
