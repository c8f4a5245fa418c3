"""The service's calls to Temporal. They name workflows, so that a process that only starts them
need not import their code."""

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Final, TypeVar

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowFailureError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from domain.core import names
from domain.core.contracts import BackgroundRef, Contract, RunRef
from domain.core.errors import EngineUnavailable, InternalError
from domain.identity.contracts import SendMailInput
from domain.inbound.contracts import ProcessWebhookInput
from domain.privacy.contracts import EraseInput
from domain.reviews.contracts import ReviewDecided
from domain.runs.contracts import DryRunInput, DryRunResult, ProcessEventInput, RunFacts
from domain.simulation.contracts import SimulateInput, SimulateResult
from domain.webhooks.contracts import SendWebhooksInput

T = TypeVar("T")
G = TypeVar("G", bound=Contract)

# A hanging server does not reject connections. Temporal closes connections that send frequent
# keep-alive pings, so the client checks the server's health during a long call.
_ASK_HEALTH_AFTER_S: Final = 1.5
_HEALTH_TIMEOUT_S: Final = 2.5
_CALL_TIMEOUT_S: Final = 4.0
_CHECKED_WITHIN: Final = timedelta(seconds=1)

# The timeout is short because the platform that sent the webhook is waiting for our response.
_PROCESS_TIMEOUT_S: Final = 1.0

# If a worker crashes during a workflow task, another worker takes over after this time.
_TASK_TIMEOUT: Final = timedelta(seconds=5)
_DRY_RUN_TIMEOUT: Final = timedelta(seconds=30)
# The fairness key of sign-in codes, which belong to no client.
_SIGN_IN: Final = "sign-in"
# Maximum number of deliveries that one parent workflow starts as children. It starts all of them in
# one workflow task.
_SENT_AT_ONCE: Final = 200


class TemporalEngine:
    """A Temporal client that starts, awaits and signals runs. Implements
    `domain.runs.ports.Engine`."""

    def __init__(self, client: Client, *, dashboard: str = "") -> None:
        self._client = client
        self._dashboard = dashboard

    async def answer(self, event: ProcessEventInput) -> None:
        """Start the run, or join it, and return when its first outcome is stored.

        Does nothing if the run has ended, because its row contains the outcome. The caller sets the
        deadline. Raises EngineUnavailable.
        """
        with outages_reported(), suppress(WorkflowAlreadyStartedError, WorkflowUpdateFailedError):
            try:
                await self._while_healthy(self._started(event))
            except RPCError as error:
                # If a worker stops, a run's first task may be lost with its update, and the server
                # rejects retries of that start. A new start joins the run.
                if error.status is not RPCStatusCode.UNAVAILABLE:
                    raise
                await self._client.service_client.check_health(timeout=_CHECKED_WITHIN)
                await self._while_healthy(self._started(event))

    async def _started(self, event: ProcessEventInput) -> None:
        start = WithStartWorkflowOperation[object, RunFacts](
            names.PROCESS_EVENT,
            event,
            id=names.process_event_id(event.ref.client_id, event.ref.event_id),
            task_queue=names.ENGINE_QUEUE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            execution_timeout=event.lifetime,
            task_timeout=_TASK_TIMEOUT,
            result_type=RunFacts,
            static_details=self._page_of(event),
            priority=Priority(fairness_key=event.ref.client_id),
        )
        await self._client.execute_update_with_start_workflow(
            names.ANSWER_UPDATE, start_workflow_operation=start, result_type=RunFacts
        )

    def _page_of(self, event: ProcessEventInput) -> str | None:
        """Return a Markdown link to the run's page in the dashboard, for the Temporal UI."""
        if not self._dashboard:
            return None
        return f"[Run in the dashboard]({self._dashboard}/app/runs/{event.ref.run_id})"

    async def dry_run(self, event: DryRunInput) -> DryRunResult:
        """Start a dry run and return its result. Raises EngineUnavailable, and InternalError if the
        brain failed."""
        return await self._result_of(
            names.DRY_RUN,
            event,
            names.dry_run_id(event.client_id, event.event_id),
            within=_DRY_RUN_TIMEOUT,
            gives=DryRunResult,
        )

    async def start(self, event: ProcessEventInput) -> bool:
        """Start an abandoned run again. Return False if the run is still active.

        A run is abandoned if its workflow was terminated or timed out during a database outage. A
        reopened run is also started again. This is safe because every step is idempotent.
        """
        reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY
        if event.reopened:
            reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE
        try:
            with outages_reported():
                async with asyncio.timeout(_CALL_TIMEOUT_S):
                    await self._client.start_workflow(
                        names.PROCESS_EVENT,
                        event,
                        id=names.process_event_id(event.ref.client_id, event.ref.event_id),
                        task_queue=names.ENGINE_QUEUE,
                        id_reuse_policy=reuse,
                        execution_timeout=event.lifetime,
                        task_timeout=_TASK_TIMEOUT,
                        priority=Priority(fairness_key=event.ref.client_id),
                    )
        except WorkflowAlreadyStartedError:
            return False
        return True

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        """Signal a waiting run to read the decision on its review. Return False if it has ended.
        Raises EngineUnavailable."""
        handle = self._client.get_workflow_handle(
            names.process_event_id(ref.client_id, ref.event_id)
        )
        decided = ReviewDecided(escalation_id=escalation_id)
        try:
            async with asyncio.timeout(_CALL_TIMEOUT_S):
                await handle.signal(names.REVIEW_DECIDED_SIGNAL, decided)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return False
            raise EngineUnavailable("Temporal did not answer") from error
        except (RuntimeError, TimeoutError) as error:
            raise EngineUnavailable("Temporal did not answer") from error
        return True

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        """Start the workflow for a committed row. Return False if it is running or has completed.
        Raises EngineUnavailable; the sweep then starts it."""
        try:
            with outages_reported():
                async with asyncio.timeout(_CALL_TIMEOUT_S):
                    await self._client.start_workflow(
                        workflow,
                        work,
                        id=names.background_id(workflow, work.client_id, work.record_id),
                        task_queue=names.ENGINE_QUEUE,
                        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
                        priority=Priority(fairness_key=work.client_id),
                    )
        except WorkflowAlreadyStartedError:
            return False
        return True

    async def simulate(self, asked: SimulateInput, *, within: timedelta) -> SimulateResult:
        """Simulate a scenario and return the result, within `within`. Raises EngineUnavailable, and
        InternalError if it failed or did not end in time."""
        return await self._result_of(
            names.SIMULATE,
            asked,
            names.simulate_id(asked.client_id, asked.id),
            within=within,
            gives=SimulateResult,
        )

    async def _result_of(
        self,
        workflow: str,
        given: DryRunInput | SimulateInput,
        workflow_id: str,
        *,
        within: timedelta,
        gives: type[G],
    ) -> G:
        """Run a workflow to completion and return its result. Raises EngineUnavailable, and
        InternalError if the workflow failed."""
        try:
            with outages_reported():
                result = await self._while_healthy(
                    self._client.execute_workflow(
                        workflow,
                        given,
                        id=workflow_id,
                        task_queue=names.ENGINE_QUEUE,
                        execution_timeout=within,
                        task_timeout=_TASK_TIMEOUT,
                        result_type=gives,
                        priority=Priority(fairness_key=given.client_id),
                    )
                )
        except WorkflowFailureError as error:
            raise InternalError(f"{workflow} failed") from error
        return gives.model_validate(result)

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        """Start webhook deliveries outside a run, unless they are running. Raises
        EngineUnavailable; the sweep then starts them."""
        for start in range(0, len(delivery_ids), _SENT_AT_ONCE):
            await self._send(client_id, tuple(delivery_ids[start : start + _SENT_AT_ONCE]))

    async def _send(self, client_id: str, delivery_ids: tuple[str, ...]) -> None:
        with outages_reported(), suppress(WorkflowAlreadyStartedError):
            async with asyncio.timeout(_CALL_TIMEOUT_S):
                await self._client.start_workflow(
                    names.SEND_WEBHOOKS,
                    SendWebhooksInput(client_id=client_id, delivery_ids=delivery_ids),
                    id=names.send_webhooks_id(client_id, delivery_ids[0]),
                    task_queue=names.WEBHOOKS_QUEUE,
                    task_timeout=_TASK_TIMEOUT,
                    priority=Priority(fairness_key=client_id),
                )

    async def process_webhook(self, webhook: ProcessWebhookInput, *, wake: bool = False) -> bool:
        """Start processing a stored webhook. Return False if it is already running.

        An ended workflow is started again because the row shows whether work is left. If `wake` is
        true, a waiting webhook is retried now. Raises EngineUnavailable; the sweep then starts the
        workflow.
        """
        ref = webhook.ref
        try:
            with outages_reported():
                async with asyncio.timeout(_PROCESS_TIMEOUT_S):
                    await self._client.start_workflow(
                        names.PROCESS_WEBHOOK,
                        webhook,
                        id=names.process_webhook_id(ref.client_id, ref.webhook_id),
                        task_queue=names.ENGINE_QUEUE,
                        task_timeout=_TASK_TIMEOUT,
                        priority=Priority(fairness_key=ref.client_id),
                        start_signal=names.TRY_NOW_SIGNAL if wake else None,
                    )
        except WorkflowAlreadyStartedError:
            return False
        return True

    async def start_erasure(self, erase: EraseInput) -> None:
        """Start an erasure, or leave a running one, without waiting. Raises EngineUnavailable."""
        with outages_reported(), suppress(WorkflowAlreadyStartedError):
            async with asyncio.timeout(_CALL_TIMEOUT_S):
                await self._client.start_workflow(
                    names.ERASE,
                    erase,
                    id=names.erase_id(erase.client_id, erase.subject),
                    task_queue=names.ENGINE_QUEUE,
                    priority=Priority(fairness_key=erase.client_id),
                )

    async def mail(self, mail: SendMailInput) -> None:
        """Start the workflow that sends the email for a committed record. Raises
        EngineUnavailable."""
        with outages_reported(), suppress(WorkflowAlreadyStartedError):
            async with asyncio.timeout(_CALL_TIMEOUT_S):
                await self._client.start_workflow(
                    names.SEND_MAIL,
                    mail,
                    id=names.send_mail_id(mail.client_id, mail.record_id),
                    task_queue=names.ENGINE_QUEUE,
                    task_timeout=_TASK_TIMEOUT,
                    # All sign-in codes together have the share of one client.
                    priority=Priority(fairness_key=mail.client_id or _SIGN_IN),
                )

    async def _while_healthy(self, call: Awaitable[T]) -> T:
        """Return the result of `call`. Raises TimeoutError if the server stops responding during
        the call."""
        task = asyncio.ensure_future(call)
        try:
            while not (await asyncio.wait({task}, timeout=_ASK_HEALTH_AFTER_S))[0]:
                async with asyncio.timeout(_HEALTH_TIMEOUT_S):
                    await self._client.service_client.check_health()
            return task.result()
        finally:
            task.cancel()


@contextmanager
def outages_reported() -> Iterator[None]:
    """Raise EngineUnavailable for every error in the block that indicates that Temporal does not
    respond. This includes RuntimeError, which a client that has never connected raises."""
    try:
        yield
    except (
        RPCError,
        RuntimeError,
        TimeoutError,
        WorkflowUpdateRPCTimeoutOrCancelledError,
    ) as error:
        raise EngineUnavailable("Temporal did not answer") from error
