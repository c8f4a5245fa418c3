"""Compute the week's churn predictions, every Monday on a schedule, or on demand."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.analytics.churn import Churn
    from domain.analytics.churn import week_of
    from domain.analytics.contracts import PredictChurnInput, WeeklyChurnInput, WeeklyChurnResult
    from domain.core import names
    from workflows import options
    from workflows.scheduled import scheduled_at


@workflow.defn(name=names.WEEKLY_CHURN)
class WeeklyChurn:
    @workflow.run
    async def run(self, churn: WeeklyChurnInput) -> WeeklyChurnResult:
        at = scheduled_at() or churn.at or workflow.now()
        done = await workflow.execute_activity_method(
            Churn.predict,
            PredictChurnInput(at=at, client_id=churn.client_id),
            **options.HOUSEKEEPING,
        )
        return WeeklyChurnResult(
            week=week_of(at), predicted=done.predicted, high=done.high, failed=done.failed
        )
