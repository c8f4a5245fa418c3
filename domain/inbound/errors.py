"""Errors of inbound webhooks."""

from collections.abc import Mapping
from enum import StrEnum

from domain.core.errors import DomainError, InvalidContent


class RefusalReason(StrEnum):
    """The reason why an inbound request was rejected, as shown in the inbound log."""

    SIGNATURE_MISSING = "signature_missing"
    SIGNATURE_WRONG = "signature_wrong"
    TIMESTAMP_MISSING = "timestamp_missing"
    TIMESTAMP_OLD = "timestamp_old"
    TEST_SECRET = "test_secret"  # noqa: S105 - Zendesk's public test secret, never accepted
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    CONNECTION_ENDED = "connection_ended"


class InboundAddressUnknown(DomainError):
    """The URL's token belongs to no endpoint, or to an endpoint of another provider."""

    code = "inbound_address_unknown"


class InboundRefused(DomainError):
    """An inbound request failed verification. Such requests are only counted, not stored."""

    code = "inbound_refused"

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class WebhookUnreadable(DomainError):
    """The body of a verified webhook matches none of the provider's documented formats. `reason` is
    a stable code that does not quote the content."""

    code = "webhook_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str]:
        return {"reason": self.reason}


class AuthorUndecided(DomainError):
    """The author of a ticket message cannot be determined yet. The agent is currently sending a
    message to the ticket, and the received message may be that message."""

    code = "author_undecided"
    retryable = True


class InboundBusy(DomainError):
    """The webhook cannot be accepted now, because of the process's memory limit or the client's
    storage limit. The platform retries later."""

    code = "inbound_busy"
    retryable = True
    retry_after_s = 5.0


class InboundWebhookNotFound(DomainError):
    code = "inbound_webhook_not_found"


class EndpointNotFound(DomainError):
    """The integration has no endpoint that receives webhooks."""

    code = "endpoint_not_found"


class EndpointExists(DomainError):
    """The integration already has an endpoint. The existing token and secret can be rotated
    instead."""

    code = "endpoint_exists"


class InvalidEndpoint(InvalidContent):
    """A parameter of a new endpoint is invalid. `reason` identifies the parameter without quoting
    its value."""

    code = "invalid_endpoint"


class DataRequestNotFound(DomainError):
    code = "data_request_not_found"
