"""Delete the workflow histories of dry runs, on an hourly schedule."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.runs.forget_dry_runs import RemoveDryRuns
    from domain.core import names
    from domain.runs.contracts import ForgetDryRunsInput, ForgetDryRunsResult
    from workflows import options


@workflow.defn(name=names.FORGET_DRY_RUNS)
class ForgetDryRuns:
    @workflow.run
    async def run(self, forget: ForgetDryRunsInput) -> ForgetDryRunsResult:
        return await workflow.execute_activity_method(
            RemoveDryRuns.forget, forget, **options.HOUSEKEEPING
        )
