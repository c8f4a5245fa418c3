"""Temporal operations on runs, for services and activities."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from domain.core.contracts import BackgroundRef, RunRef

if TYPE_CHECKING:
    # The command line starts faster without this import.
    from domain.runs.contracts import ProcessEventInput


class Starter(Protocol):
    """Starts work after a commit."""

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        """Signal a waiting run to read its decision. Returns False if it no longer runs."""

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        """Start a workflow after its row is committed. Returns False if it is running or has ended.
        `workflow`: its name. Raises EngineUnavailable."""

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        """Send deliveries that no run sends. Running ones are not affected. Raises
        EngineUnavailable."""


class Engine(Starter, Protocol):
    """A Starter that also starts runs, for components that recover abandoned ones."""

    async def start(self, event: "ProcessEventInput") -> bool:
        """Start a run's workflow. Returns False if it is already running."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a workflow: an id may have had several."""

    workflow_id: str
    run_id: str


class Executions(Protocol):
    """The executions stored by a workflow server, for components that delete them. All methods
    raise EngineUnavailable. New and deleted executions appear in lists with a short delay."""

    async def starting_with(self, prefix: str, *, ended: bool = False) -> list[Execution]:
        """Return some executions whose workflow id has the prefix. `ended`: exclude running
        ones."""

    async def of(self, workflow_ids: Sequence[str]) -> list[Execution]:
        """Return executions of these workflows."""

    def ended(self, workflow: str, before: datetime) -> AsyncIterator[Execution]:
        """Yield all executions of a workflow type that ended before the given time, page by
        page."""

    async def delete(self, executions: Sequence[Execution]) -> int:
        """Delete executions with their histories, and terminate running ones. Returns the number
        deleted."""
