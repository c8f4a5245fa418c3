"""Starting the workflows that deliver webhooks, each by an id that exists once."""

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
    """Return when all are started, or were before. They outlive whoever started them, which must
    not end sooner."""
    await asyncio.gather(*(_start(client_id, delivery_id) for delivery_id in delivery_ids))


async def _start(client_id: str, delivery_id: str) -> None:
    child: workflow.ChildWorkflowConfig = {
        **options.DELIVERY,
        "id": names.deliver_webhook_id(client_id, delivery_id),
        # The queue serves tenants in turn, however much one of them has to send.
        "priority": Priority(fairness_key=client_id),
    }
    delivery = DeliverWebhookInput(client_id=client_id, delivery_id=delivery_id)
    with suppress(WorkflowAlreadyStartedError):
        await workflow.start_child_workflow(names.DELIVER_WEBHOOK, delivery, **child)
