"""Waiting tasks in Temporal, and failed schedules."""

from datetime import timedelta

from temporalio.client import (
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleSpec,
    ScheduleState,
)

from adapters.system import new_ulid, utc_now
from adapters.temporal.backlog import QueueBacklog, failed_schedules, queue_backlog
from adapters.temporal.health import Work
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually


async def test_a_queue_without_workers_fills(idle_engine: LiveEngine) -> None:
    client, queue = idle_engine.client, new_ulid()

    async def backlog() -> QueueBacklog | None:
        found = await queue_backlog(client, Work.WORKFLOWS, queue=queue)
        return found if found.tasks == 2 and found.age else None

    for number in range(2):
        await client.start_workflow("Nothing", id=f"{queue}-{number}", task_queue=queue)

    assert (await eventually(backlog)).age < timedelta(minutes=2)
    assert await queue_backlog(client, Work.ACTIVITIES, queue=queue) == QueueBacklog(0, timedelta())


async def test_a_schedule_that_fails_is_counted_for_a_while(idle_engine: LiveEngine) -> None:
    client, name, began = idle_engine.client, new_ulid(), utc_now()

    async def failed() -> bool:
        return await failed_schedules(client, began - timedelta(minutes=1)) == 1

    # A failed workflow that no schedule started is not counted.
    await client.start_workflow(
        "Nothing", id=f"{name}-other", task_queue=name, execution_timeout=timedelta(seconds=1)
    )
    handle = await client.create_schedule(
        name,
        Schedule(
            action=ScheduleActionStartWorkflow(
                "Nothing", id=name, task_queue=name, execution_timeout=timedelta(seconds=1)
            ),
            spec=ScheduleSpec(),
            state=ScheduleState(paused=True),
        ),
        trigger_immediately=True,
    )
    await eventually(failed)
    assert await failed_schedules(client, utc_now() + timedelta(minutes=1)) == 0
    await handle.delete()
