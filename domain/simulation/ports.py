"""Ports for simulations."""

from datetime import timedelta
from typing import Protocol

from domain.simulation.contracts import SimulateInput, SimulateResult


class Simulator(Protocol):
    """A simulator that runs a scenario without effects."""

    async def simulate(self, asked: SimulateInput, *, within: timedelta) -> SimulateResult:
        """Run a scenario, and return its result within the duration `within`. Raises
        EngineUnavailable, and InternalError if the brain failed."""
