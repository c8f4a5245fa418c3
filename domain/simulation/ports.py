"""What simulations need from outside."""

from typing import Protocol

from domain.simulation.contracts import SimulateInput, SimulateResult


class Simulator(Protocol):
    """Whoever thinks a scenario through."""

    async def simulate(self, asked: SimulateInput) -> SimulateResult:
        """Raises EngineUnavailable, and InternalError if the thinking failed."""
