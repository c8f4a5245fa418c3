"""The sweep, on a schedule: pick up what a crash left between two steps."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.content.embed import Embed
    from activities.runs.sweep import SweepRuns
    from activities.webhooks.sweep_deliveries import SweepDeliveries
    from domain.core import names
    from domain.runs.contracts import SweepInput, SweepResult
    from workflows import options


@workflow.defn(name=names.SWEEP)
class Sweep:
    @workflow.run
    async def run(self, sweep: SweepInput) -> SweepResult:
        started = await workflow.execute_activity_method(
            SweepRuns.start_received, sweep, **options.SWEEPING
        )
        woken = await workflow.execute_activity_method(
            SweepRuns.wake_decided, sweep, **options.SWEEPING
        )
        picked_up = started.picked_up + woken.picked_up
        if workflow.patched("deliveries"):
            sent = await workflow.execute_activity_method(
                SweepDeliveries.send_left, sweep, **options.SWEEPING
            )
            picked_up += sent.picked_up
        if sweep.embedding_model:
            embedded = await workflow.execute_activity_method(
                Embed.embed, sweep, **options.SWEEPING
            )
            picked_up += embedded.picked_up
        return SweepResult(picked_up=picked_up)
