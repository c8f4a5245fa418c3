"""Errors of intake: rate limits, repeated requests and attachments."""

from collections.abc import Mapping
from datetime import datetime

from domain.core.errors import DomainError
from domain.intake.rate_limit import Limit
from domain.intake.refused_file import AttachmentRefusal


class InvalidIdempotencyKey(DomainError):
    code = "invalid_idempotency_key"


class IdempotencyKeyReused(DomainError):
    """The same Idempotency-Key was sent with another body."""

    code = "idempotency_key_reused"


class RunInProgress(DomainError):
    """The first request with this Idempotency-Key is still running."""

    code = "run_in_progress"


class CustomerRateLimited(DomainError):
    """One customer sent too many messages in ten minutes. `oldest` is the oldest message that
    counts. `key` is the digest of the customer's limit key."""

    code = "customer_rate_limited"

    def __init__(
        self,
        customer_email: str,
        retry_after_s: float,
        oldest: datetime | None = None,
        key: bytes = b"",
    ) -> None:
        super().__init__()  # Omit the address, because error texts are logged.
        self.key = key
        self.oldest = oldest
        self.customer_email = customer_email
        self.retry_after_s = retry_after_s

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"customer_email": self.customer_email}


class ClientRateLimited(DomainError):
    """One client's customers sent too many messages in an hour. `oldest`: time of the oldest
    message that counts toward the limit."""

    code = "client_rate_limited"

    def __init__(self, retry_after_s: float, oldest: datetime | None = None) -> None:
        super().__init__()
        self.oldest = oldest
        self.retry_after_s = retry_after_s


class UnprovedShareUsed(DomainError):
    """Unverified senders have used up their share of the client's hourly messages or monthly
    tickets."""

    code = "unproved_share_used"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class EventRoomUsed(DomainError):
    """The client's events have reached their daily storage limit (`domain/intake/event_room.py`).
    `matched` means that a playbook matches the rejected event."""

    code = "event_room_used"

    def __init__(self, retry_after_s: float, *, matched: bool) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s
        self.matched = matched


class AttachmentNotFound(DomainError):
    """The file does not exist, belongs to another client, or is not stored."""

    code = "attachment_not_found"


class AttachmentRefused(DomainError):
    """A member's file cannot be attached to a reply. `reason`: an `AttachmentRefusal`."""

    code = "attachment_refused"

    def __init__(self, reason: AttachmentRefusal) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason.value}


class LargeEventsWait(DomainError):
    """The normalizing process has no free place in its queue for large events. The caller may retry
    later."""

    code = "large_events_wait"
    retryable = True
    retry_after_s = 5.0


class TooManyRequests(DomainError):
    """The caller has reached a rate limit."""

    code = "too_many_requests"

    def __init__(self, limit: Limit, retry_after_s: float) -> None:
        super().__init__(limit.scope)
        self.limit = limit
        self.retry_after_s = retry_after_s

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"quota": self.limit.quota, "window_s": round(self.limit.window.total_seconds())}
