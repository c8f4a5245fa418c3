"""Compute the metrics of past days on demand, in batches, most recent days first."""

from datetime import timedelta
from typing import Final

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.analytics.metrics import ComputeMetrics
    from domain.analytics.contracts import (
        BackfillMetricsInput,
        BackfillProgress,
        ComputeMetricsInput,
        ComputeMetricsResult,
    )
    from domain.core import names
    from workflows import options

# A batch must be small enough to show progress, and to finish for all clients within the activity's
# timeout. It must be large enough that MAX_DAYS_AT_ONCE days (`domain.analytics.metrics`) fit into
# one workflow history.
_DAYS_AT_ONCE: Final = 10


@workflow.defn(name=names.BACKFILL_METRICS)
class BackfillMetrics:
    @workflow.init
    def __init__(self, backfill: BackfillMetricsInput) -> None:
        self._days = (backfill.last - backfill.first).days + 1
        self._days_done = 0

    @workflow.run
    async def run(self, backfill: BackfillMetricsInput) -> ComputeMetricsResult:
        done = ComputeMetricsResult()
        last = backfill.last
        while last >= backfill.first:
            first = max(backfill.first, last - timedelta(days=_DAYS_AT_ONCE - 1))
            done = done.plus(
                await workflow.execute_activity_method(
                    ComputeMetrics.compute,
                    ComputeMetricsInput(first=first, last=last, client_id=backfill.client_id),
                    **options.HOUSEKEEPING,
                )
            )
            self._days_done = (backfill.last - first).days + 1
            last = first - timedelta(days=1)
        return done

    @workflow.query(name=names.PROGRESS_QUERY)
    def progress(self) -> BackfillProgress:
        """Return the total number of days, and the number of days computed so far."""
        return BackfillProgress(days=self._days, days_done=self._days_done)
