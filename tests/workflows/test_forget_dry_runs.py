"""Dry runs and simulations are deleted from Temporal within a day."""

from datetime import timedelta
from functools import partial
from itertools import pairwise

import pytest
from temporalio.client import WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from adapters.temporal import runs
from adapters.temporal.setup import ensure_forget_dry_runs_schedule
from domain.core.names import (
    ENGINE_QUEUE,
    FORGET_DRY_RUNS,
    FORGET_DRY_RUNS_SCHEDULE,
    SIMULATE,
    dry_run_id,
)
from domain.runs.contracts import ForgetDryRunsInput, ForgetDryRunsResult
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import person
from tests.support.tenants.shop import Shop, open_shop


async def dry_run_of(engine: LiveEngine, shop: Shop) -> WorkflowHandle[object, object]:
    body = (await engine.post(shop, is_test=True, message="Bonjour")).json()
    return engine.client.get_workflow_handle(dry_run_id(shop.client_id, body["event_id"]))


async def simulate(engine: LiveEngine, shop: Shop) -> None:
    answer = await engine.http.post(
        "/api/simulator/chat",
        json={"client_id": shop.client_id, "messages": [{"text": "Bonjour"}]},
        headers=await person(engine, shop, Role.AGENT),
    )
    assert answer.status_code == 200, answer.text


async def forget(engine: LiveEngine, older_than_s: float, *, id_: str) -> int:
    result = await engine.client.execute_workflow(
        FORGET_DRY_RUNS,
        ForgetDryRunsInput(older_than_s=older_than_s),
        id=id_,
        task_queue=ENGINE_QUEUE,
        result_type=ForgetDryRunsResult,
    )
    return ForgetDryRunsResult.model_validate(result).forgotten


async def is_gone(handle: WorkflowHandle[object, object]) -> bool:
    try:
        await handle.describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return True
        raise
    return False


@pytest.mark.slow
async def test_old_dry_runs_are_forgotten_page_by_page_and_nothing_else_is(
    idle_engine: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_PAGE", 2)
    shop = await open_shop(idle_engine.database)
    async with idle_engine.working():
        event = (await idle_engine.post(shop, message="Bonjour")).json()
        handles = [await dry_run_of(idle_engine, shop) for _ in range(5)]
        await simulate(idle_engine, shop)

        async def all_are_listed() -> bool:
            listed = await idle_engine.client.count_workflows(
                'WorkflowType IN ("DryRun", "Simulate") AND ExecutionStatus = "Completed"'
            )
            return listed.count == len(handles) + 1

        await eventually(all_are_listed)
        simulations = idle_engine.client.list_workflows(f'WorkflowType = "{SIMULATE}"')
        handles += [idle_engine.client.get_workflow_handle(one.id) async for one in simulations]
        assert await forget(idle_engine, 3600, id_="too-early") == 0
        assert await forget(idle_engine, 0, id_="in-time") == len(handles)

        for handle in handles:
            await eventually(partial(is_gone, handle))
        assert not await is_gone(idle_engine.run_of(shop, event["event_id"]))
        # A repeated round finds nothing to delete, without an error.
        assert await forget(idle_engine, 0, id_="again") == 0


async def test_it_happens_every_hour_and_a_day_is_never_reached(idle_engine: LiveEngine) -> None:
    await ensure_forget_dry_runs_schedule(idle_engine.client)

    schedule = idle_engine.client.get_schedule_handle(FORGET_DRY_RUNS_SCHEDULE)
    times = (await schedule.describe()).info.next_action_times

    assert {later - sooner for sooner, later in pairwise(times)} == {timedelta(hours=1)}
    assert ForgetDryRunsInput().older_than_s < timedelta(hours=23).total_seconds()
