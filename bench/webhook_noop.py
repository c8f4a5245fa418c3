"""The baseline for deliveries: a parent workflow that starts children, each with one no-op
activity.

As in the service, the parent does not wait. The worker has the webhook worker's slots and pollers
on the service's Temporal server, but no determinism checks.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

QUEUE: Final = "bench-children"
_SLOTS: Final = 500
_POLLS: Final = 20
_TIMEOUT: Final = timedelta(seconds=10)


@workflow.defn
class NoopChild:
    @workflow.run
    async def run(self, batch: str) -> None:
        await workflow.execute_activity("noop", batch, start_to_close_timeout=_TIMEOUT)


@workflow.defn
class Parent:
    @workflow.run
    async def run(self, batch: str, children: int) -> None:
        started = (
            workflow.start_child_workflow(
                NoopChild.run,
                batch,
                id=f"{batch}-{number}",
                parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            )
            for number in range(children)
        )
        await asyncio.gather(*started)


class Children:
    """Batches of child workflows, and their worker in this process."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._left: Counter[str] = Counter()
        self._done: dict[str, asyncio.Event] = {}

    async def run(self, batch: str, children: int) -> None:
        """Start a parent workflow, and wait for the activities of its children."""
        self._left[batch] = children
        self._done[batch] = done = asyncio.Event()
        await self._client.start_workflow(
            Parent.run, args=[batch, children], id=batch, task_queue=QUEUE
        )
        await done.wait()

    @activity.defn
    async def noop(self, batch: str) -> None:
        """Count the activity's execution, and complete the batch after the last execution."""
        self._left[batch] -= 1
        if not self._left[batch]:
            del self._left[batch]
            self._done.pop(batch).set()


@asynccontextmanager
async def children(client: Client) -> AsyncIterator[Children]:
    working = Children(client)
    async with Worker(
        client,
        task_queue=QUEUE,
        workflows=[Parent, NoopChild],
        activities=[working.noop],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_concurrent_activities=_SLOTS,
        max_concurrent_activity_task_polls=_POLLS,
        max_concurrent_workflow_task_polls=_POLLS,
    ):
        yield working
