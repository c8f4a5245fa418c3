"""The no-op workflows with which our gateway is compared.

- `Naive`: the SDK's samples: four activities, a start call, and a wait for the result.
- `Floor`: the cheapest durable answer: one Update-with-Start, and one step in the worker.
- `Skeleton`: the gateway's own design with empty steps.

`Skeleton` minus `Floor` is the cost of four durable steps. The gateway minus `Skeleton` is the cost
of our own work.
"""

from collections.abc import Awaitable, Callable, Sequence
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


class _Answering:
    """A base class that runs local activities and then answers the update."""

    def __init__(self) -> None:
        self._done = False

    async def _take(self, event_id: str, steps: Sequence[Callable[[str], Awaitable[str]]]) -> str:
        for step in steps:
            await workflow.execute_local_activity(step, event_id, start_to_close_timeout=_TIMEOUT)
        self._done = True
        await workflow.wait_condition(workflow.all_handlers_finished)
        return "completed"

    @workflow.update(name=ANSWER)
    async def answer(self) -> str:
        await workflow.wait_condition(lambda: self._done)
        return "completed"


@workflow.defn
class Floor(_Answering):
    @workflow.run
    async def run(self, event_id: str) -> str:
        return await self._take(event_id, (normalize,))


@workflow.defn
class Skeleton(_Answering):
    @workflow.run
    async def run(self, event_id: str) -> str:
        return await self._take(event_id, (normalize, think, execute, persist))
