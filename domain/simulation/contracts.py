"""What crosses Temporal for simulations and replays. What people made up is sealed, for it leaves
no row that it could be read from."""

from domain.core.contracts import Contract


class SimulateInput(Contract):
    """`sealed`: a `SimulationAsked`, encrypted. `id`: names the workflow; no row has it. `outside`:
    a language model or a shop may be asked, which leaves the process and takes longer."""

    client_id: str
    id: str
    sealed: str
    outside: bool = False


class SimulateResult(Contract):
    """`sealed`: a `Simulation`, encrypted."""

    sealed: str


class ReplayProgress(Contract):
    """How far a replay has come: of `total` events, `seen` were looked at."""

    is_over: bool = False
    total: int = 0
    seen: int = 0
