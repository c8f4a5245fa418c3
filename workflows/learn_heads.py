"""Train the clients' own classifier heads, on a nightly schedule."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.learning.learn_heads import LearnHeads
    from domain.core import names
    from domain.learning.contracts import LearnHeadsInput, LearnHeadsResult
    from workflows import options


@workflow.defn(name=names.LEARN_HEADS_WORKFLOW)
class LearnHeadsNightly:
    @workflow.run
    async def run(self, learning: LearnHeadsInput) -> LearnHeadsResult:
        return await workflow.execute_activity_method(
            LearnHeads.learn, learning, **options.HOUSEKEEPING
        )
