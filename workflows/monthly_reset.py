"""The scheduled monthly reset of tickets: open the new month's counters, and reconcile the counters
of the previous month.

A late, repeated or missing reset changes no quota, because counters are per month and plans are
computed for the current time.
"""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.billing.usage_periods import UsagePeriods
    from domain.billing.contracts import (
        MonthlyResetInput,
        MonthlyResetResult,
        OpenPeriodInput,
        OpenPeriodResult,
        ReconcileInput,
        ReconcileResult,
    )
    from domain.core import names
    from domain.core.period import period_of, previous_period
    from workflows import options
    from workflows.scheduled import scheduled_at
    from workflows.steps import alone, tell


@workflow.defn(name=names.MONTHLY_RESET)
class MonthlyReset:
    @workflow.run
    async def run(self, reset: MonthlyResetInput) -> MonthlyResetResult:
        at = scheduled_at() or reset.at or workflow.now()
        period = period_of(at)
        failed: list[str] = []
        opened = await alone(
            workflow.execute_activity_method(
                UsagePeriods.open_period, OpenPeriodInput(at=at), **options.HOUSEKEEPING
            ),
            failed,
            otherwise=OpenPeriodResult(),
        )
        closed = await alone(
            workflow.execute_activity_method(
                UsagePeriods.reconcile,
                ReconcileInput(period=previous_period(period)),
                **options.HOUSEKEEPING,
            ),
            failed,
            otherwise=ReconcileResult(),
        )
        tell(failed)
        return MonthlyResetResult(
            period=period, opened=opened.opened, changed=opened.changed, drifting=closed.drifting
        )
