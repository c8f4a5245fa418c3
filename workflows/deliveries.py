"""Start the workflows that deliver webhooks. Each workflow id is used only once."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from temporalio import workflow
from temporalio.common import Priority
from temporalio.exceptions import WorkflowAlreadyStartedError

from domain.core import names
from domain.webhooks.contracts import DeliverWebhookInput
from workflows import options


async def start_deliveries(client_id: str, delivery_ids: Iterable[str]) -> None:
    """Start the delivery workflows. Return when all of them have been started, including those
    started earlier.

    The deliveries outlive the calling workflow. The calling workflow must not end before the
    deliveries have started.
    """
    await asyncio.gather(*(_start(client_id, delivery_id) for delivery_id in delivery_ids))


async def _start(client_id: str, delivery_id: str) -> None:
    child: workflow.ChildWorkflowConfig = {
        **options.DELIVERY,
        "id": names.deliver_webhook_id(client_id, delivery_id),
        # With this key, the task queue serves the tenants in rotation, regardless of how many
        # events a tenant sends.
        "priority": Priority(fairness_key=client_id),
    }
    delivery = DeliverWebhookInput(client_id=client_id, delivery_id=delivery_id)
    with suppress(WorkflowAlreadyStartedError):
        await workflow.start_child_workflow(names.DELIVER_WEBHOOK, delivery, **child)
