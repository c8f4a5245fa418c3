"""Ports for simulations."""

from typing import Protocol

from domain.simulation.contracts import SimulateInput, SimulateResult


class Simulator(Protocol):
    """Runs a scenario without effects."""

    async def simulate(self, asked: SimulateInput) -> SimulateResult:
        """Run a scenario, and return its result. Raises EngineUnavailable, and InternalError if the
        brain failed."""
