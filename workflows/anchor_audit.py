"""Create the audit checkpoints, on a daily schedule."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.audit.anchor import AnchorHeads
    from domain.audit.contracts import AnchorAuditInput, AnchorAuditResult, AnchorHeadsInput
    from domain.core import names
    from workflows import options
    from workflows.scheduled import scheduled_at


@workflow.defn(name=names.ANCHOR_AUDIT)
class AnchorAudit:
    @workflow.run
    async def run(self, anchor: AnchorAuditInput) -> AnchorAuditResult:
        at = scheduled_at() or anchor.at or workflow.now()
        return await workflow.execute_activity_method(
            AnchorHeads.anchor, AnchorHeadsInput(day=at.date()), **options.HOUSEKEEPING
        )
