"""Data that passes through Temporal while webhooks are sent."""

from domain.core.contracts import Contract
from domain.webhooks.delivery import DeliveryStatus
from domain.webhooks.webhook import Notice


class SendWebhooksInput(Contract):
    """Deliveries of one client. A separate child workflow sends each delivery."""

    client_id: str
    delivery_ids: tuple[str, ...]


class DeliverWebhookInput(Contract):
    client_id: str
    delivery_id: str


class DeliverInput(Contract):
    """One attempt. `attempt`: counted from 1; an attempt that is repeated after a worker's crash
    keeps its number."""

    client_id: str
    delivery_id: str
    attempt: int = 1


class DeliverResult(Contract):
    """`retry_in_s`: set while the delivery is pending. `notice`: the notice to send to the owner
    about the webhook."""

    status: DeliveryStatus
    retry_in_s: float | None = None
    notice: Notice | None = None


class DeliverWebhookResult(Contract):
    status: DeliveryStatus


class TellOwnerInput(Contract):
    """The mail is named after the delivery that caused the notice, so that retries send the same
    mail."""

    client_id: str
    delivery_id: str
    notice: Notice
