"""Ports to Temporal for services and activities: start, signal and delete workflows."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from domain.core.contracts import BackgroundRef, RunRef

if TYPE_CHECKING:
    # A type-check-only import makes the command line start faster.
    from domain.runs.contracts import ProcessEventInput


class Starter(Protocol):
    """A starter of a transaction's background work, called after the transaction is committed."""

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        """Signal a waiting run to read the decision on its review. Return False if the run has
        ended."""

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        """Start the workflow called `workflow`, after the row for its work is committed. Return
        False if it is running or has ended. Raises EngineUnavailable."""

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        """Send webhook deliveries that belong to no run, unless they are already being sent. Raises
        EngineUnavailable."""


class Engine(Starter, Protocol):
    """A Starter that can also start runs. Components that recover abandoned runs use it."""

    async def start(self, event: "ProcessEventInput") -> bool:
        """Start the workflow for a run. Return False if the workflow is already running."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a workflow. A workflow id may have had several executions."""

    workflow_id: str
    run_id: str


class Executions(Protocol):
    """The workflow executions stored by a Temporal server, for deletion.

    All methods raise EngineUnavailable. Lists may lag behind new and deleted executions.
    """

    async def starting_with(self, prefix: str, *, ended: bool = False) -> list[Execution]:
        """Return some of the executions whose workflow id has the prefix. If `ended` is true,
        running executions are omitted."""

    async def of(self, workflow_ids: Sequence[str]) -> list[Execution]:
        """Return all executions of the workflows with these ids."""

    def ended(self, workflow: str, before: datetime) -> AsyncIterator[Execution]:
        """Yield all executions of a workflow type that ended before the given time, page by
        page."""

    async def delete(self, executions: Sequence[Execution]) -> int:
        """Delete executions with their histories, and terminate running ones. Return the number of
        deleted executions."""
