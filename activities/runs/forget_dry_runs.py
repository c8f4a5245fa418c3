"""Delete dry runs and simulations. Their histories contain customer text, so they are kept for at
most a day."""

from datetime import datetime, timedelta
from typing import Final

from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ports import Clock
from domain.runs.contracts import ForgetDryRunsInput, ForgetDryRunsResult
from domain.runs.ports import Execution, Executions

_BATCH: Final = 100


class RemoveDryRuns:
    def __init__(self, executions: Executions, now: Clock) -> None:
        self._executions = executions
        self._now = now

    @activity.defn(name=names.FORGET_REHEARSALS)
    async def forget(self, step: ForgetDryRunsInput) -> ForgetDryRunsResult:
        """Delete the histories of dry runs and simulations that ended at least `step.older_than_s`
        seconds ago. A retry deletes the histories that remain."""
        before = self._now() - timedelta(seconds=step.older_than_s)
        forgotten = 0
        async with beating():
            for workflow in (names.DRY_RUN, names.SIMULATE):
                forgotten += await self._forget(workflow, before)
        return ForgetDryRunsResult(forgotten=forgotten)

    async def _forget(self, workflow: str, before: datetime) -> int:
        forgotten, batch = 0, list[Execution]()
        async for one in self._executions.ended(workflow, before):
            batch.append(one)
            if len(batch) == _BATCH:
                forgotten += await self._executions.delete(batch)
                batch.clear()
        return forgotten + await self._executions.delete(batch)
