"""The activity that processes a simulated conversation while a caller is waiting for the result."""

from temporalio import activity

from activities.runtime.heartbeat import beating
from activities.simulation.outcome_simulator import OutcomeSimulator
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.simulation.asked import SimulationAsked
from domain.simulation.contracts import SimulateInput, SimulateResult


class Simulate:
    def __init__(self, simulator: OutcomeSimulator, sealer: Sealer) -> None:
        self._simulator = simulator
        self._sealer = sealer

    @activity.defn(name=names.THINK_SCENARIO)
    async def think(self, step: SimulateInput) -> SimulateResult:
        """Process a sealed scenario, and return its sealed result. The activity can safely be
        repeated, because it stores only the cost of each language model call. Raises
        PlaybookNotFound."""
        asked = SimulationAsked.model_validate_json(self._sealer.unseal(step.sealed))
        async with beating():
            simulation = await self._simulator.conversation(
                TenantId(step.client_id), asked.scenario, asked.variant
            )
        return SimulateResult(sealed=self._sealer.seal(simulation.model_dump_json()))
