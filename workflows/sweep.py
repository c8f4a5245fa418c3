"""The sweep, on a schedule: resume work that a crash interrupted between two steps."""

from collections.abc import Awaitable, Callable
from typing import Final

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


# The steps run in this order. The last step requires an embedding model.
_STEPS: Final[tuple[Callable[..., Awaitable[SweepResult]], ...]] = (
    SweepRuns.start_received,
    SweepRuns.wake_decided,
    SweepReviews.expire_overdue,
    SweepDeliveries.send_left,
    SweepWebhooks.start_left,
    SweepBackground.begin_left,
    SweepLoosenings.sweep,
    SweepCustomers.index,
    Embed.embed,
)


@workflow.defn(name=names.SWEEP)
class Sweep:
    @workflow.run
    async def run(self, sweep: SweepInput) -> SweepResult:
        failed: list[str] = []
        done = nothing = SweepResult(picked_up=0)
        for step in _STEPS if sweep.embedding_model else _STEPS[:-1]:
            done += await alone(
                workflow.execute_activity_method(step, sweep, **options.SWEEPING),
                failed,
                otherwise=nothing,
            )
        tell(failed)
        return done
