"""What crosses Temporal while webhooks are sent."""

from domain.core.contracts import Contract
from domain.webhooks.delivery import DeliveryStatus
from domain.webhooks.webhook import Notice


class SendWebhooksInput(Contract):
    """Deliveries of one client, each for a child of its own."""

    client_id: str
    delivery_ids: tuple[str, ...]


class DeliverWebhookInput(Contract):
    client_id: str
    delivery_id: str


class DeliverInput(Contract):
    """One try. `attempt` counts from 1; a try that is repeated because its worker died keeps its
    number."""

    client_id: str
    delivery_id: str
    attempt: int = 1


class DeliverResult(Contract):
    """`retry_in_s`: set while the delivery is pending. `notice`: what the owner must be told of the
    webhook now."""

    status: DeliveryStatus
    retry_in_s: float | None = None
    notice: Notice | None = None


class DeliverWebhookResult(Contract):
    status: DeliveryStatus


class TellOwnerInput(Contract):
    """The delivery that brought the webhook there names the mail, however often it is tried."""

    client_id: str
    delivery_id: str
    notice: Notice
