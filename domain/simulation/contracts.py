"""Temporal inputs and results for simulations and replays.

The content of scenarios is encrypted because no database row stores it.
"""

from domain.core.contracts import Contract


class SimulateInput(Contract):
    """The input of a simulation. `sealed` is an encrypted `SimulationAsked`. `id` belongs to no
    database row. `outside`: run it as a regular activity, which does not occupy one of the worker's
    workflow tasks. False only in histories of earlier versions."""

    client_id: str
    id: str
    sealed: str
    outside: bool = False


class SimulateResult(Contract):
    """The result of a simulation. `sealed` is an encrypted `Simulation`."""

    sealed: str


class ReplayProgress(Contract):
    """The progress of a replay. `seen` counts the events of `total` that were examined or
    skipped."""

    is_over: bool = False
    total: int = 0
    seen: int = 0
