"""The sweep, on a schedule: pick up what a crash left between two steps."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.content.embed import Embed
    from activities.reviews.sweep_reviews import SweepReviews
    from activities.runs.sweep import SweepRuns
    from activities.webhooks.sweep_deliveries import SweepDeliveries
    from domain.core import names
    from domain.runs.contracts import SweepInput, SweepResult
    from workflows import options
    from workflows.steps import Steps


@workflow.defn(name=names.SWEEP)
class Sweep:
    @workflow.run
    async def run(self, sweep: SweepInput) -> SweepResult:
        steps, nothing = Steps(), SweepResult(picked_up=0)
        done = await steps.take(
            workflow.execute_activity_method(SweepRuns.start_received, sweep, **options.SWEEPING),
            nothing,
        )
        done += await steps.take(
            workflow.execute_activity_method(SweepRuns.wake_decided, sweep, **options.SWEEPING),
            nothing,
        )
        if workflow.patched("overdue-reviews"):
            done += await steps.take(
                workflow.execute_activity_method(
                    SweepReviews.expire_overdue, sweep, **options.SWEEPING
                ),
                nothing,
            )
        if workflow.patched("deliveries"):
            done += await steps.take(
                workflow.execute_activity_method(
                    SweepDeliveries.send_left, sweep, **options.SWEEPING
                ),
                nothing,
            )
        if sweep.embedding_model:
            done += await steps.take(
                workflow.execute_activity_method(Embed.embed, sweep, **options.SWEEPING),
                nothing,
            )
        steps.end()
        return done
