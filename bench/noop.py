"""What we are compared with: workflows whose steps do nothing.

`Naive` is what the SDK's samples show: four activities on the task queue, start and result.
`Floor` is the least a durable answer can cost: one Update-with-Start, one step in the worker.
"""

from datetime import timedelta
from typing import Final

from temporalio import activity, workflow

QUEUE: Final = "bench"
ANSWER: Final = "answer"
_TIMEOUT: Final = timedelta(seconds=10)


@activity.defn
async def normalize(event_id: str) -> str:
    return event_id


@activity.defn
async def think(event_id: str) -> str:
    return event_id


@activity.defn
async def execute(event_id: str) -> str:
    return event_id


@activity.defn
async def persist(event_id: str) -> str:
    return event_id


@workflow.defn
class Naive:
    @workflow.run
    async def run(self, event_id: str) -> str:
        for step in (normalize, think, execute, persist):
            await workflow.execute_activity(step, event_id, start_to_close_timeout=_TIMEOUT)
        return "completed"


@workflow.defn
class Floor:
    def __init__(self) -> None:
        self._done = ""

    @workflow.run
    async def run(self, event_id: str) -> str:
        self._done = await workflow.execute_local_activity(
            normalize, event_id, start_to_close_timeout=_TIMEOUT
        )
        await workflow.wait_condition(workflow.all_handlers_finished)
        return "completed"

    @workflow.update(name=ANSWER)
    async def answer(self) -> str:
        await workflow.wait_condition(lambda: bool(self._done))
        return "completed"
