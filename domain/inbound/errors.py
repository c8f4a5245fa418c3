"""Errors of the inbound hub."""

from collections.abc import Mapping
from enum import StrEnum

from domain.core.errors import DomainError, InvalidContent


class RefusalReason(StrEnum):
    """The reason for refusing a request, as shown in the inbound log."""

    SIGNATURE_MISSING = "signature_missing"
    SIGNATURE_WRONG = "signature_wrong"
    TIMESTAMP_MISSING = "timestamp_missing"
    TIMESTAMP_OLD = "timestamp_old"
    TEST_SECRET = "test_secret"  # noqa: S105 - Zendesk's published one, never accepted
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    CONNECTION_ENDED = "connection_ended"


class InboundAddressUnknown(DomainError):
    """No endpoint has this token, or the token belongs to another provider's endpoint."""

    code = "inbound_address_unknown"


class InboundRefused(DomainError):
    """The request failed verification. Such requests are only counted, not stored."""

    code = "inbound_refused"

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class WebhookUnreadable(DomainError):
    """A verified body matches none of the provider's documented formats. `reason`: a stable code
    that quotes none of the content."""

    code = "webhook_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str]:
        return {"reason": self.reason}


class AuthorUndecided(DomainError):
    """The agent is currently sending a message to the ticket, and the received message may be that
    one."""

    code = "author_undecided"
    retryable = True


class InboundBusy(DomainError):
    """Mails in progress have filled the process's memory limit, or the client has reached a limit
    on stored webhooks. The platform sends the request again."""

    code = "inbound_busy"
    retryable = True
    retry_after_s = 5.0


class InboundWebhookNotFound(DomainError):
    code = "inbound_webhook_not_found"


class EndpointNotFound(DomainError):
    """The integration has no endpoint for webhooks."""

    code = "endpoint_not_found"


class EndpointExists(DomainError):
    """The integration already has an endpoint; its token and secret can be rotated."""

    code = "endpoint_exists"


class InvalidEndpoint(InvalidContent):
    """A parameter of a new endpoint is invalid. `reason` names the field without quoting its
    value."""

    code = "invalid_endpoint"


class DataRequestNotFound(DomainError):
    code = "data_request_not_found"
