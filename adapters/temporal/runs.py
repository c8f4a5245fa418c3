"""Workflow executions for an erasure: they are found by id and deleted."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Final

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError, RPCStatusCode

from domain.core import names
from domain.core.errors import EngineUnavailable, InternalError
from domain.privacy.contracts import EraseInput, EraseResult
from domain.runs.ports import Execution

_PAGE: Final = 500
_AT_ONCE: Final = 20


async def erased(client: Client, erase: EraseInput) -> str:
    """Start or join an erasure, and return the certificate's id when it finishes, even if the
    caller stops waiting.

    Raises EngineUnavailable, and InternalError if the erasure was terminated.
    """
    try:
        handle = await client.start_workflow(
            names.ERASE,
            erase,
            id=names.erase_id(erase.client_id, erase.subject),
            task_queue=names.ENGINE_QUEUE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            result_type=EraseResult,
        )
        return EraseResult.model_validate(await handle.result()).erasure_id
    except (RPCError, RuntimeError) as error:
        raise EngineUnavailable("Temporal did not answer") from error
    except WorkflowFailureError as error:
        raise InternalError("the erasure was ended before it was done") from error


class TemporalRuns:
    """Workflow executions, which can be listed and deleted. Implements
    `domain.runs.ports.Executions`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def starting_with(self, prefix: str, *, ended: bool = False) -> list[Execution]:
        query = f'WorkflowId STARTS_WITH "{prefix}"'
        return await self._found(f'{query} AND ExecutionStatus != "Running"' if ended else query)

    async def of(self, workflow_ids: Sequence[str]) -> list[Execution]:
        listed = ", ".join(f'"{workflow_id}"' for workflow_id in workflow_ids)
        return await self._found(f"WorkflowId IN ({listed})") if workflow_ids else []

    async def ended(self, workflow: str, before: datetime) -> AsyncIterator[Execution]:
        query = f'WorkflowType = "{workflow}" AND CloseTime < "{before.isoformat()}"'
        try:
            async for one in self._client.list_workflows(query, page_size=_PAGE):
                yield Execution(one.id, one.run_id)
        except RPCError as error:
            raise EngineUnavailable("Temporal did not answer") from error

    async def delete(self, executions: Sequence[Execution]) -> int:
        deleted = 0
        for start in range(0, len(executions), _AT_ONCE):
            some = executions[start : start + _AT_ONCE]
            deleted += sum(await asyncio.gather(*(self._delete(one) for one in some)))
        return deleted

    async def _found(self, query: str) -> list[Execution]:
        try:
            found = self._client.list_workflows(query, page_size=_PAGE, limit=_PAGE)
            return [Execution(one.id, one.run_id) async for one in found]
        except RPCError as error:
            raise EngineUnavailable("Temporal did not answer") from error

    async def _delete(self, one: Execution) -> bool:
        request = DeleteWorkflowExecutionRequest(
            namespace=self._client.namespace,
            workflow_execution=WorkflowExecution(workflow_id=one.workflow_id, run_id=one.run_id),
        )
        try:
            await self._client.workflow_service.delete_workflow_execution(request)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return False
            raise EngineUnavailable("Temporal did not answer") from error
        return True
