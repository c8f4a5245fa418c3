"""Errors about webhooks and their deliveries."""

from domain.core.errors import DomainError, InvalidContent


class InvalidWebhook(InvalidContent):
    """A request breaks a rule of webhooks. Operators read the message, callers the French
    `reason`."""

    code = "invalid_webhook"


class WebhookNotFound(DomainError):
    """The webhook does not exist or belongs to another client; the error does not reveal which."""

    code = "webhook_not_found"


class WebhookEventNotFound(DomainError):
    """No event of that name exists to subscribe to."""

    code = "webhook_event_not_found"


class DeliveryNotFound(DomainError):
    """The delivery does not exist, belongs to another client, or is no longer among the last 50."""

    code = "delivery_not_found"


class WebhookDisabled(DomainError):
    """A disabled webhook accepts no replays; it must be enabled first."""

    code = "webhook_disabled"


class DeliveryPending(DomainError):
    """The delivery is still pending, so there is nothing to replay."""

    code = "delivery_pending"


class TooManyPending(DomainError):
    """The webhook has reached its limit of pending deliveries; sending them makes room."""

    code = "too_many_pending_deliveries"


class TooManyWebhooks(DomainError):
    """The client has reached its limit of webhooks."""

    code = "too_many_webhooks"


class Deferred(DomainError):
    """A delivery must wait, because others wait already or the service's own network fails. Nothing
    was sent."""

    code = "delivery_deferred"
    retryable = True
    retry_after_s: float

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s
