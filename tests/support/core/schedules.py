"""Firing a schedule for a past time, as Temporal does after an outage."""

from datetime import datetime, timedelta

from temporalio.client import Client, ScheduleBackfill, ScheduleOverlapPolicy

from tests.support.core.waiting import eventually


async def fire(client: Client, schedule_id: str, at: datetime) -> str:
    """Make the schedule start its workflow for `at`, and return the workflow's id."""
    await client.get_schedule_handle(schedule_id).backfill(
        ScheduleBackfill(
            start_at=at - timedelta(seconds=1),
            end_at=at + timedelta(seconds=1),
            overlap=ScheduleOverlapPolicy.ALLOW_ALL,
        )
    )
    workflow_id = f"{schedule_id}-{at:%Y-%m-%dT%H:%M:%SZ}"

    async def started() -> bool:
        query = f'WorkflowId = "{workflow_id}"'
        return bool([found async for found in client.list_workflows(query)])

    await eventually(started)
    return workflow_id
