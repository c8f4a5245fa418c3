"""Runs in Temporal, as services and activities need them."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from domain.core.contracts import BackgroundRef, RunRef

if TYPE_CHECKING:
    # All that is thought about a run, which the command line starts faster without.
    from domain.runs.contracts import ProcessEventInput


class Starter(Protocol):
    """What starts after a commit."""

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        """Tell a parked run to look for its decision; False if it no longer runs."""

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        """Start a workflow whose row is committed; False if it is under way, or over. `workflow`:
        its name. Raises EngineUnavailable."""

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        """Have deliveries sent that no run sends; those under way are left alone. Raises
        EngineUnavailable."""


class Engine(Starter, Protocol):
    """Starting runs as well, for whoever finds one left behind."""

    async def start(self, event: "ProcessEventInput") -> bool:
        """Start a run's workflow; False if it is running already."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a workflow: an id may have had several."""

    workflow_id: str
    run_id: str


class Executions(Protocol):
    """What a workflow server remembers, for whoever must make it forget. Each raises
    EngineUnavailable. A server lists what has begun, and drops what was deleted, a little late."""

    async def starting_with(self, prefix: str, *, ended: bool = False) -> list[Execution]:
        """Some of the executions whose workflow's id begins so; `ended`: not those under way."""

    async def of(self, workflow_ids: Sequence[str]) -> list[Execution]:
        """Executions of these workflows."""

    def ended(self, workflow: str, before: datetime) -> AsyncIterator[Execution]:
        """All executions of a kind of workflow that ended before then, asked for page by page."""

    async def delete(self, executions: Sequence[Execution]) -> int:
        """Delete these with their histories, and end those under way; how many there were."""
