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
    """Start the delivery workflows, and return when all have been started. They outlive the calling
    workflow, which must not end earlier."""
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
