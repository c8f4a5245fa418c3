"""The sweep, on a schedule: resume work that a crash interrupted between two steps."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.content.embed import Embed
    from activities.customers.sweep_customers import SweepCustomers
    from activities.inbound.sweep_webhooks import SweepWebhooks
    from activities.playbooks.sweep_loosenings import SweepLoosenings
    from activities.reviews.sweep_reviews import SweepReviews
    from activities.runs.sweep import SweepRuns
    from activities.simulation.sweep_background import SweepBackground
    from activities.webhooks.sweep_deliveries import SweepDeliveries
    from domain.core import names
    from domain.runs.contracts import SweepInput, SweepResult
    from workflows import options
    from workflows.steps import alone, tell


@workflow.defn(name=names.SWEEP)
class Sweep:
    @workflow.run
    async def run(self, sweep: SweepInput) -> SweepResult:
        failed: list[str] = []
        nothing = SweepResult(picked_up=0)
        done = await alone(
            workflow.execute_activity_method(SweepRuns.start_received, sweep, **options.SWEEPING),
            failed,
            otherwise=nothing,
        )
        done += await alone(
            workflow.execute_activity_method(SweepRuns.wake_decided, sweep, **options.SWEEPING),
            failed,
            otherwise=nothing,
        )
        if workflow.patched("overdue-reviews"):
            done += await alone(
                workflow.execute_activity_method(
                    SweepReviews.expire_overdue, sweep, **options.SWEEPING
                ),
                failed,
                otherwise=nothing,
            )
        if workflow.patched("deliveries"):
            done += await alone(
                workflow.execute_activity_method(
                    SweepDeliveries.send_left, sweep, **options.SWEEPING
                ),
                failed,
                otherwise=nothing,
            )
        if workflow.patched("inbound"):
            done += await alone(
                workflow.execute_activity_method(
                    SweepWebhooks.start_left, sweep, **options.SWEEPING
                ),
                failed,
                otherwise=nothing,
            )
        if workflow.patched("background"):
            done += await alone(
                workflow.execute_activity_method(
                    SweepBackground.begin_left, sweep, **options.SWEEPING
                ),
                failed,
                otherwise=nothing,
            )
        if workflow.patched("loosenings"):
            done += await alone(
                workflow.execute_activity_method(SweepLoosenings.sweep, sweep, **options.SWEEPING),
                failed,
                otherwise=nothing,
            )
        if workflow.patched("customers"):
            done += await alone(
                workflow.execute_activity_method(SweepCustomers.index, sweep, **options.SWEEPING),
                failed,
                otherwise=nothing,
            )
        if sweep.embedding_model:
            done += await alone(
                workflow.execute_activity_method(Embed.embed, sweep, **options.SWEEPING),
                failed,
                otherwise=nothing,
            )
        tell(failed)
        return done
