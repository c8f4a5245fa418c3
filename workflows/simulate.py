"""Simulate a scenario, in one step and without side effects."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.simulation.simulate import Simulate
    from domain.core import names
    from domain.simulation.contracts import SimulateInput, SimulateResult
    from workflows import options


@workflow.defn(name=names.SIMULATE, failure_exception_types=[Exception])
class SimulateScenario:
    @workflow.run
    async def run(self, asked: SimulateInput) -> SimulateResult:
        if asked.outside:
            return await workflow.execute_activity_method(
                Simulate.think, asked, **options.SIMULATING_OUTSIDE
            )
        return await workflow.execute_local_activity_method(
            Simulate.think, asked, **options.SIMULATING
        )
