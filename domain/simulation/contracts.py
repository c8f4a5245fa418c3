"""The data that crosses Temporal for simulations and replays.

Invented content is encrypted, because no database row stores it.
"""

from domain.core.contracts import Contract


class SimulateInput(Contract):
    """The input of a simulation. `sealed`: an encrypted `SimulationAsked`. `id`: names the
    workflow; no row has this id. `outside`: the simulation may call a language model or a shop,
    which takes longer."""

    client_id: str
    id: str
    sealed: str
    outside: bool = False


class SimulateResult(Contract):
    """The result of a simulation. `sealed`: an encrypted `Simulation`."""

    sealed: str


class ReplayProgress(Contract):
    """The progress of a replay: of `total` events, `seen` were examined or skipped."""

    is_over: bool = False
    total: int = 0
    seen: int = 0
