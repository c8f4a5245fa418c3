"""Errors in webhooks and their deliveries."""

from domain.core.errors import DomainError, InvalidContent


class InvalidWebhook(InvalidContent):
    """A webhook's label, URL or list of events is invalid. The message is for operators, and the
    French `reason` for callers."""

    code = "invalid_webhook"


class WebhookNotFound(DomainError):
    """The webhook does not exist or belongs to another client. The error does not reveal which."""

    code = "webhook_not_found"


class WebhookEventNotFound(DomainError):
    """The event catalogue has no event with the requested name."""

    code = "webhook_event_not_found"


class DeliveryNotFound(DomainError):
    """The delivery does not exist, belongs to another client, or is no longer among its webhook's
    stored deliveries."""

    code = "delivery_not_found"


class WebhookDisabled(DomainError):
    """The webhook is disabled, so it does not accept replays. It must be enabled first."""

    code = "webhook_disabled"


class DeliveryPending(DomainError):
    """The delivery is still pending, so it cannot be replayed yet."""

    code = "delivery_pending"


class TooManyPending(DomainError):
    """The webhook has reached its limit for pending deliveries. Once some of them have finished,
    the caller can repeat the request."""

    code = "too_many_pending_deliveries"


class TooManyWebhooks(DomainError):
    """The client has reached its webhook limit."""

    code = "too_many_webhooks"


class Deferred(DomainError):
    """The delivery must wait because too many deliveries are already waiting or the service's own
    network is failing. No request was sent."""

    code = "delivery_deferred"
    retryable = True
    retry_after_s: float

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s
