"""Deliver one event to one webhook, from the first attempt to the last."""

from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import FailureError

with workflow.unsafe.imports_passed_through():
    from activities.webhooks.deliver import Deliver
    from activities.webhooks.failure_notices import WebhookFailureNotices
    from domain.core import names
    from domain.webhooks.contracts import (
        DeliverInput,
        DeliverWebhookInput,
        DeliverWebhookResult,
        TellOwnerInput,
    )
    from domain.webhooks.webhook import Notice
    from workflows import options
    from workflows.failure import error_code


@workflow.defn(name=names.DELIVER_WEBHOOK)
class DeliverWebhook:
    @workflow.run
    async def run(self, delivery: DeliverWebhookInput) -> DeliverWebhookResult:
        """Deliver the event. After a failure, wait for the delay set by the delivery's retry
        policy, then retry."""
        attempt = 1
        while True:
            tried = await workflow.execute_activity_method(
                Deliver.deliver,
                DeliverInput(
                    client_id=delivery.client_id, delivery_id=delivery.delivery_id, attempt=attempt
                ),
                **options.DELIVERING,
            )
            if tried.notice is not None:
                await self._tell_owner(delivery, tried.notice)
            if tried.retry_in_s is None:
                return DeliverWebhookResult(status=tried.status)
            await workflow.sleep(
                timedelta(seconds=tried.retry_in_s), summary="Until the next attempt"
            )
            attempt += 1

    async def _tell_owner(self, delivery: DeliverWebhookInput, notice: Notice) -> None:
        """Email the client's owner a notice about the webhook. A failed email does not affect the
        delivery."""
        step = TellOwnerInput(
            client_id=delivery.client_id, delivery_id=delivery.delivery_id, notice=notice
        )
        try:
            await workflow.execute_activity_method(
                WebhookFailureNotices.tell, step, **options.TELLING
            )
        except FailureError as failure:
            workflow.logger.warning(
                "failed to notify the owner", extra={"error_code": error_code(failure)}
            )
