"""Nightly housekeeping, on a schedule: delete expired rows, and compare usage counters with their
ledgers."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.billing.usage_periods import UsagePeriods
    from activities.privacy.prune import Prune
    from domain.billing.contracts import ReconcileInput, ReconcileResult
    from domain.core import names
    from domain.core.period import period_of
    from domain.privacy.contracts import HousekeepingInput, HousekeepingResult, PruneResult
    from workflows import options
    from workflows.steps import alone, tell


@workflow.defn(name=names.HOUSEKEEPING)
class Housekeeping:
    @workflow.run
    async def run(self, housekeeping: HousekeepingInput) -> HousekeepingResult:
        failed: list[str] = []
        pruned = await alone(
            workflow.execute_activity_method(Prune.prune, housekeeping, **options.HOUSEKEEPING),
            failed,
            otherwise=PruneResult(pruned=0),
        )
        compared = await alone(
            workflow.execute_activity_method(
                UsagePeriods.reconcile,
                ReconcileInput(period=period_of(workflow.now())),
                **options.HOUSEKEEPING,
            ),
            failed,
            otherwise=ReconcileResult(),
        )
        tell(failed)
        return HousekeepingResult(pruned=pruned.pruned, drifting=compared.drifting)
