"""Reports requested by an operator. Each report is a workflow that is started and awaited."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError

from adapters.temporal.client import outages_reported
from domain.analytics.churn import week_of
from domain.analytics.contracts import (
    BackfillMetricsInput,
    BackfillProgress,
    ComputeMetricsResult,
    WeeklyChurnInput,
    WeeklyChurnResult,
)
from domain.core import names
from domain.core.errors import InternalError

_ASK_EVERY_S: Final = 0.5
_QUERY_TIMEOUT: Final = timedelta(seconds=5)


class TemporalReports:
    """Operator reports, each run as a Temporal workflow. A second request for the same kind and
    subject joins the running one."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def start_backfill(
        self, backfill: BackfillMetricsInput
    ) -> WorkflowHandle[Any, ComputeMetricsResult]:
        """Start computing the metrics for past days, or join a running computation, and return the
        workflow handle. Raises EngineUnavailable."""
        with outages_reported():
            return await self._client.start_workflow(
                names.BACKFILL_METRICS,
                backfill,
                id=names.backfill_metrics_id(backfill.client_id, backfill.first, backfill.last),
                task_queue=names.ENGINE_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                result_type=ComputeMetricsResult,
            )

    async def backfill_metrics(
        self, backfill: BackfillMetricsInput, on_progress: Callable[[int], None]
    ) -> ComputeMetricsResult:
        """Compute the metrics of past days and return the result, even if the caller stops waiting.

        `on_progress` receives the number of finished calendar days. Raises EngineUnavailable, and
        InternalError if it failed.
        """
        handle = await self.start_backfill(backfill)
        result = asyncio.ensure_future(_result(handle))
        try:
            while not (await asyncio.wait({result}, timeout=_ASK_EVERY_S))[0]:
                # The query fails while no worker is running.
                with suppress(RPCError):
                    progress = await handle.query(
                        names.PROGRESS_QUERY,
                        result_type=BackfillProgress,
                        rpc_timeout=_QUERY_TIMEOUT,
                    )
                    on_progress(progress.days_done)
            return ComputeMetricsResult.model_validate(result.result())
        finally:
            result.cancel()

    async def predict_churn(self, churn: WeeklyChurnInput) -> WeeklyChurnResult:
        """Compute and return the churn prediction for the week of `churn.at`, which must be set.
        The computation continues if the caller stops waiting. Raises EngineUnavailable, and
        InternalError if the computation failed."""
        if churn.at is None:
            raise ValueError("a moment to predict for")
        with outages_reported():
            handle = await self._client.start_workflow(
                names.WEEKLY_CHURN,
                churn,
                id=names.weekly_churn_id(churn.client_id, week_of(churn.at)),
                task_queue=names.ENGINE_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                result_type=WeeklyChurnResult,
            )
        return WeeklyChurnResult.model_validate(await _result(handle))


async def _result(handle: WorkflowHandle[Any, Any]) -> object:
    try:
        with outages_reported():
            return await handle.result()
    except WorkflowFailureError as error:
        raise InternalError("the workflow failed; its history says why") from error
