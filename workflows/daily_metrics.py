"""Compute the metrics for the previous day, on a nightly schedule. Some earlier days are recomputed
because their reviews may since have been decided."""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.analytics.metrics import ComputeMetrics
    from domain.analytics.contracts import (
        ComputeMetricsInput,
        DailyMetricsInput,
        DailyMetricsResult,
    )
    from domain.analytics.metrics import REFRESHED, day_before
    from domain.core import names
    from workflows import options
    from workflows.scheduled import scheduled_at


@workflow.defn(name=names.DAILY_METRICS)
class DailyMetrics:
    @workflow.run
    async def run(self, daily: DailyMetricsInput) -> DailyMetricsResult:
        day = day_before(scheduled_at() or daily.at or workflow.now())
        done = await workflow.execute_activity_method(
            ComputeMetrics.compute,
            ComputeMetricsInput(first=day - timedelta(days=REFRESHED - 1), last=day),
            **options.HOUSEKEEPING,
        )
        return DailyMetricsResult(
            day=day, computed=done.computed, changed=done.changed, failed=done.failed
        )
