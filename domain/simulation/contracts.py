"""Temporal inputs and results for simulations and replays.

The content of scenarios is encrypted, because no database row stores it.
"""

from domain.core.contracts import Contract


class SimulateInput(Contract):
    """The input of a simulation. `sealed`: an encrypted `SimulationAsked`. `id`: the id for the
    workflow. It belongs to no database row. `outside`: whether the simulation may call a language
    model or a shop, which takes longer."""

    client_id: str
    id: str
    sealed: str
    outside: bool = False


class SimulateResult(Contract):
    """The result of a simulation. `sealed`: an encrypted `Simulation`."""

    sealed: str


class ReplayProgress(Contract):
    """The progress of a replay. `total`: the number of events. `seen`: the number of events that
    were examined or skipped. `is_over`: whether the replay has ended."""

    is_over: bool = False
    total: int = 0
    seen: int = 0
