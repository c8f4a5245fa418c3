"""Errors of the inbound hub."""

from collections.abc import Mapping
from enum import StrEnum

from domain.core.errors import DomainError, InvalidContent


class RefusalReason(StrEnum):
    """Why a request was not believed, as the inbound log says it."""

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
    """No endpoint has this token, or it is another provider's."""

    code = "inbound_address_unknown"


class InboundRefused(DomainError):
    """The request is not its provider's. Nothing of it is kept but a count."""

    code = "inbound_refused"

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class WebhookUnreadable(DomainError):
    """The bytes were signed, and are none of the shapes that the provider documents. `reason`: a
    stable code, and nothing of what was sent."""

    code = "webhook_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str]:
        return {"reason": self.reason}


class AuthorUndecided(DomainError):
    """A message of ours is on its way into the ticket, and this may be it."""

    code = "author_undecided"
    retryable = True


class InboundBusy(DomainError):
    """As many bytes of mails are on their way as the process holds, or as much of a client's waits
    as it may have. The platform sends again."""

    code = "inbound_busy"
    retryable = True
    retry_after_s = 5.0


class InboundWebhookNotFound(DomainError):
    code = "inbound_webhook_not_found"


class EndpointNotFound(DomainError):
    """The integration has no address for webhooks."""

    code = "endpoint_not_found"


class EndpointExists(DomainError):
    """The integration has an address already; it can be rotated."""

    code = "endpoint_exists"


class InvalidEndpoint(InvalidContent):
    """What an endpoint is opened with breaks a rule; `reason` names the field, and no value."""

    code = "invalid_endpoint"


class DataRequestNotFound(DomainError):
    code = "data_request_not_found"
