"""Temporal payloads for the workflows and activities that send webhooks."""

from domain.core.contracts import Contract
from domain.webhooks.delivery import DeliveryStatus
from domain.webhooks.webhook import Notice


class SendWebhooksInput(Contract):
    """The input of the workflow that sends one client's deliveries. Each delivery has its own child
    workflow."""

    client_id: str
    delivery_ids: tuple[str, ...]


class DeliverWebhookInput(Contract):
    client_id: str
    delivery_id: str


class DeliverInput(Contract):
    """The input of one delivery attempt. `attempt` counts from 1, and stays the same if a crash
    repeats the attempt."""

    client_id: str
    delivery_id: str
    attempt: int = 1


class DeliverResult(Contract):
    """The result of one delivery attempt. `retry_in_s` is set while the delivery is pending.
    `notice` is the notice to mail to the client's owner, or None."""

    status: DeliveryStatus
    retry_in_s: float | None = None
    notice: Notice | None = None


class DeliverWebhookResult(Contract):
    status: DeliveryStatus


class TellOwnerInput(Contract):
    """The input of the activity that emails a notice about a webhook to the client's owner. The
    Message-ID depends only on the delivery, so a retry sends the same email."""

    client_id: str
    delivery_id: str
    notice: Notice
