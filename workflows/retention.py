"""Nightly retention, on a schedule: remove records that are past their retention period."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.privacy.retain import Retain
    from domain.core import names
    from domain.privacy.contracts import RetentionInput, RetentionResult
    from workflows import options


@workflow.defn(name=names.RETENTION)
class Retention:
    @workflow.run
    async def run(self, retention: RetentionInput) -> RetentionResult:
        return await workflow.execute_activity_method(
            Retain.retain, retention, **options.HOUSEKEEPING
        )
