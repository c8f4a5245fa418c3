"""Housekeeping, on a schedule every night: prune what has lapsed, compare counters with ledgers."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.billing.usage_periods import UsagePeriods
    from activities.privacy.prune import Prune
    from domain.billing.contracts import ReconcileInput
    from domain.core import names
    from domain.core.period import period_of
    from domain.privacy.contracts import HousekeepingInput, HousekeepingResult
    from workflows import options


@workflow.defn(name=names.HOUSEKEEPING)
class Housekeeping:
    @workflow.run
    async def run(self, housekeeping: HousekeepingInput) -> HousekeepingResult:
        pruned = await workflow.execute_activity_method(
            Prune.prune, housekeeping, **options.HOUSEKEEPING
        )
        compared = await workflow.execute_activity_method(
            UsagePeriods.reconcile,
            ReconcileInput(period=period_of(workflow.now())),
            **options.HOUSEKEEPING,
        )
        return HousekeepingResult(pruned=pruned.pruned, drifting=compared.drifting)
