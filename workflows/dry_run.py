"""A dry run: compute the agent's decision on an event, without side effects."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.agent.dry_run import DryRuns
    from domain.core import names
    from domain.runs.contracts import DryRunInput, DryRunResult
    from workflows import options


@workflow.defn(name=names.DRY_RUN, failure_exception_types=[Exception])
class DryRun:
    @workflow.run
    async def run(self, event: DryRunInput) -> DryRunResult:
        if event.remote_brain:
            return await workflow.execute_activity_method(
                DryRuns.answer, event, **options.REMOTE_BRAIN
            )
        return await workflow.execute_local_activity_method(DryRuns.answer, event, **options.INSIDE)
