"""Process one stored inbound webhook until its effect is applied."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import Priority
from temporalio.exceptions import FailureError, WorkflowAlreadyStartedError

with workflow.unsafe.imports_passed_through():
    from activities.inbound.work import WorkOnWebhook
    from domain.core import names
    from domain.inbound.contracts import (
        GiveUpWebhookInput,
        ProcessWebhookInput,
        WebhookRef,
        WebhookWorked,
    )
    from domain.runs.contracts import ProcessEventInput
    from workflows import options
    from workflows.failure import OUTAGE, TIMEOUT, error_code

# Number of rounds of attempts for failures that are not outages. The webhook is then marked as
# failed, so that it no longer blocks its queue.
_ROUNDS: Final = 3
# Error codes of the outages during which the webhook is retried without limit. Two codes of OUTAGE
# are excluded because a webhook that is retried for such a failure must not block its queue.
_HEALED_BY_TIME: Final = OUTAGE - {"unknown_provider", TIMEOUT}
_PAUSE: Final = timedelta(seconds=5)
_WAITS_FOR: Final = "waits_for"


@workflow.defn(name=names.PROCESS_WEBHOOK)
class ProcessWebhook:
    @workflow.init
    def __init__(self, step: ProcessWebhookInput) -> None:
        self._step = step
        self._shown: str | None = None
        self._asked_to_retry = False

    @workflow.run
    async def run(self, _: ProcessWebhookInput) -> None:
        """Process the webhook to completion. Start its run, and the workflows of the next webhooks
        in the queue.

        If a limit does not admit the webhook, the workflow sleeps between attempts, with the
        limit's name in its memo.
        """
        while True:
            worked = await self._work()
            await self._start(worked)
            if not worked.wait_s:
                return
            if worked.waits_for != self._shown:
                self._shown = worked.waits_for
                workflow.upsert_memo({_WAITS_FOR: self._shown})
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(self._step)
            await self._pause(timedelta(seconds=worked.wait_s))

    @workflow.signal(name=names.TRY_NOW_SIGNAL)
    def try_now(self) -> None:
        """Retry the webhook now instead of at the scheduled time."""
        self._asked_to_retry = True

    async def _pause(self, lasts: timedelta) -> None:
        with suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: self._asked_to_retry,
                timeout=lasts,
                timeout_summary="Until the limit admits the webhook",
            )
        self._asked_to_retry = False

    async def _work(self) -> WebhookWorked:
        """Process the webhook, and return the result. The first attempts run in this process, and
        later ones as a regular activity.

        During an outage, attempts continue without limit. For other failures, they stop after
        _ROUNDS rounds.
        """
        try:
            return await workflow.execute_local_activity_method(
                WorkOnWebhook.work, self._step, **options.INSIDE
            )
        except FailureError as failure:
            code = error_code(failure)
        rounds = 0
        while True:
            if code in _HEALED_BY_TIME:
                await workflow.sleep(_PAUSE, summary="Until the outage is over")
            else:
                rounds += 1
                if rounds > _ROUNDS:
                    return await self._give_up(code)
            try:
                return await workflow.execute_activity_method(
                    WorkOnWebhook.work, self._step, **options.WORKING
                )
            except FailureError as failure:
                code = error_code(failure)

    async def _give_up(self, code: str) -> WebhookWorked:
        workflow.logger.warning("webhook failed", extra={"error_code": code})
        step = GiveUpWebhookInput(ref=self._step.ref, code=code)
        return await workflow.execute_activity_method(
            WorkOnWebhook.give_up, step, **options.PATIENT
        )

    async def _start(self, worked: WebhookWorked) -> None:
        """Start the next webhooks in the queue, and this webhook's run. Return once all of them
        have been started, now or earlier."""
        starts = [self._start_webhook(webhook_id) for webhook_id in worked.next_ids]
        if worked.run is not None:
            starts.append(_start_run(worked.run))
        await asyncio.gather(*starts)

    async def _start_webhook(self, webhook_id: str) -> None:
        ref = WebhookRef(client_id=self._step.ref.client_id, webhook_id=webhook_id)
        child: workflow.ChildWorkflowConfig = {
            **options.WEBHOOK,
            "id": names.process_webhook_id(ref.client_id, webhook_id),
            # With this key, the task queue serves the tenants in rotation, regardless of how many
            # webhooks a tenant receives.
            "priority": Priority(fairness_key=ref.client_id),
        }
        with suppress(WorkflowAlreadyStartedError):
            await workflow.start_child_workflow(
                names.PROCESS_WEBHOOK, self._step.model_copy(update={"ref": ref}), **child
            )


async def _start_run(run: ProcessEventInput) -> None:
    """Start a run in the same way as the gateway, but without waiting for its answer. If a crash
    prevents the start, the sweep starts the run."""
    child: workflow.ChildWorkflowConfig = {
        **options.RUN,
        "id": names.process_event_id(run.ref.client_id, run.ref.event_id),
        "execution_timeout": run.lifetime,
        "priority": Priority(fairness_key=run.ref.client_id),
    }
    with suppress(WorkflowAlreadyStartedError):
        await workflow.start_child_workflow(names.PROCESS_EVENT, run, **child)
