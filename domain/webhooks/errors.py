"""Errors about webhooks and their deliveries."""

from domain.core.errors import DomainError, InvalidContent


class InvalidWebhook(InvalidContent):
    """A request breaks a rule for webhooks. The message is for operators, the French `reason` for
    callers."""

    code = "invalid_webhook"


class WebhookNotFound(DomainError):
    """The webhook does not exist or belongs to another client; the error does not reveal which."""

    code = "webhook_not_found"


class WebhookEventNotFound(DomainError):
    """There is no event of that name to subscribe to."""

    code = "webhook_event_not_found"


class DeliveryNotFound(DomainError):
    """The delivery does not exist, belongs to another client, or is no longer among the latest
    50."""

    code = "delivery_not_found"


class WebhookDisabled(DomainError):
    """A disabled webhook accepts no replays; it must be enabled first."""

    code = "webhook_disabled"


class DeliveryPending(DomainError):
    """The delivery is still pending, so there is nothing to replay."""

    code = "delivery_pending"


class TooManyPending(DomainError):
    """The webhook has reached its limit on pending deliveries; sending some of them frees
    capacity."""

    code = "too_many_pending_deliveries"


class TooManyWebhooks(DomainError):
    """The client has reached its limit on webhooks."""

    code = "too_many_webhooks"


class Deferred(DomainError):
    """The delivery must wait, because other deliveries are already waiting or the service's own
    network is failing. Nothing was sent."""

    code = "delivery_deferred"
    retryable = True
    retry_after_s: float

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s
