"""Errors about webhooks and their deliveries."""

from domain.core.errors import DomainError, InvalidContent


class InvalidWebhook(InvalidContent):
    """What was asked for breaks a rule of webhooks. Operators read the message, callers the French
    `reason`."""

    code = "invalid_webhook"


class WebhookNotFound(DomainError):
    """There is no such webhook, or it is another client's: nobody can tell which."""

    code = "webhook_not_found"


class WebhookEventNotFound(DomainError):
    """There is no event of that name to subscribe to."""

    code = "webhook_event_not_found"


class DeliveryNotFound(DomainError):
    """It never was, is another client's, or is no longer among the last 50."""

    code = "delivery_not_found"


class WebhookDisabled(DomainError):
    """Nothing is replayed to a webhook that is disabled: enable it first."""

    code = "webhook_disabled"


class DeliveryPending(DomainError):
    """The delivery has not ended yet, so there is nothing to replay."""

    code = "delivery_pending"


class TooManyPending(DomainError):
    """As many deliveries of the webhook wait as may: what is sent makes room."""

    code = "too_many_pending_deliveries"


class TooManyWebhooks(DomainError):
    """The client has as many webhooks as one may have."""

    code = "too_many_webhooks"


class Deferred(DomainError):
    """A delivery must not be tried now: others of its tenant wait already. Nothing was sent."""

    code = "delivery_deferred"
    retryable = True
    retry_after_s: float

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s
