"""Ports of simulations."""

from typing import Protocol

from domain.simulation.contracts import SimulateInput, SimulateResult


class Simulator(Protocol):
    """Runs a scenario."""

    async def simulate(self, asked: SimulateInput) -> SimulateResult:
        """Run the scenario. Raises EngineUnavailable, and InternalError if the brain failed."""
