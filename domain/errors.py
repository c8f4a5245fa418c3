"""Errors a caller can meet: types with stable codes, mapped to HTTP in `api/errors.py` only.

A message never carries customer text: errors are logged, reported and kept by Temporal.
"""

from collections.abc import Mapping
from typing import ClassVar

from domain.quota import Standing
from domain.rate_limit import Limit


class DomainError(Exception):
    """An anticipated error. `code` is stable, snake case and part of the API."""

    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    retry_after_s: float | None = None
    """Seconds after which the same request may be let through, where that is known."""

    @property
    def facts(self) -> Mapping[str, str | int]:
        """What the caller's answer may name; `api/errors.py` decides what it does."""
        return {}


class Unauthenticated(DomainError):
    """No scheme of the request identified a caller."""

    code = "unauthenticated"


class ApiKeyMissing(DomainError):
    """The widget was called without `api_key` in the query."""

    code = "api_key_missing"


class NoClient(DomainError):
    """The caller is known, but no client is linked to this user."""

    code = "no_client"


class PlanRequired(DomainError):
    """The feature is not in the client's plan."""

    code = "plan_required"


class InvalidExportFormat(DomainError):
    """The export was asked for in a form that there is not, or in two."""

    code = "invalid_format"


class ExportsBusy(DomainError):
    """As many exports as may be written at once are being written."""

    code = "exports_busy"
    retryable = True
    retry_after_s = 10


class InvalidBody(DomainError):
    """The body is no JSON object of the documented shape. `reason` names the rule it broke."""

    code = "invalid_body"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class ClientIdMissing(DomainError):
    code = "client_id_missing"


class ClientIdRepeated(DomainError):
    """The query has client_id twice: two readers might not take the same one."""

    code = "client_id_repeated"


class AccessDenied(DomainError):
    """The caller is known but has no right to this tenant; says nothing of its existence."""

    code = "access_denied"


class RoleRequired(DomainError):
    """A member of the client whose role does not include this."""

    code = "role_required"


class ClientNotFound(DomainError):
    code = "client_not_found"


class InvalidQuery(DomainError):
    """A parameter of the query breaks a rule; `reason` names it."""

    code = "invalid_query"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class InvalidRequest(DomainError):
    """What came is no HTTP/1.1 request."""

    code = "invalid_request"


class HeadTooLarge(DomainError):
    """The request line and headers are too long, or the headers too many."""

    code = "head_too_large"


class ServerBusy(DomainError):
    """The process holds as many connections as it may, and works for all of them."""

    code = "server_busy"
    retryable = True


class BodyTooLarge(DomainError):
    code = "body_too_large"


class BodyTooSlow(DomainError):
    code = "body_too_slow"


class UnsupportedMediaType(DomainError):
    code = "unsupported_media_type"


class RouteNotFound(DomainError):
    code = "route_not_found"


class MethodNotAllowed(DomainError):
    code = "method_not_allowed"


class InvalidIdempotencyKey(DomainError):
    code = "invalid_idempotency_key"


class IdempotencyKeyReused(DomainError):
    """The same Idempotency-Key came with another body."""

    code = "idempotency_key_reused"


class RunInProgress(DomainError):
    """The first request with this Idempotency-Key has no answer yet."""

    code = "run_in_progress"


class CustomerRateLimited(DomainError):
    """One customer wrote too many messages in ten minutes."""

    code = "customer_rate_limited"

    def __init__(self, customer_email: str, retry_after_s: float) -> None:
        super().__init__()  # without the address: errors are logged
        self.customer_email = customer_email
        self.retry_after_s = retry_after_s

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"customer_email": self.customer_email}


class ClientRateLimited(DomainError):
    """All customers of one client wrote too many messages in an hour."""

    code = "client_rate_limited"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class QuotaExhausted(DomainError):
    """The month's tickets are used up, and there is no credit."""

    code = "quota_exhausted"

    def __init__(self, standing: Standing, *, thresholds_untold: bool = False) -> None:
        super().__init__()
        self.standing = standing
        self.thresholds_untold = thresholds_untold

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {
            "tickets_used": self.standing.tickets_used,
            "tickets_limit": self.standing.tickets_limit,
            "credits_balance": self.standing.credits_balance,
        }


class TooManyRequests(DomainError):
    """The caller's window of a short-term limit is full."""

    code = "too_many_requests"

    def __init__(self, limit: Limit, retry_after_s: float) -> None:
        super().__init__(limit.scope)
        self.limit = limit
        self.retry_after_s = retry_after_s

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"quota": self.limit.quota, "window_s": round(self.limit.window.total_seconds())}


class EngineUnavailable(DomainError):
    """Temporal or the database did not answer; the caller may try again."""

    code = "engine_unavailable"
    retryable = True


class CommitUnknown(EngineUnavailable):
    """The database went away while it committed: what was to be written may be there or not."""

    code = "commit_unknown"


class NoAnswer(DomainError):
    """An event has come so far that it has a name, `event_id`, and there is no answer to it."""

    def __init__(self, event_id: str) -> None:
        super().__init__(event_id)
        self.event_id = event_id

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"event_id": self.event_id}


class AnswerTimeout(NoAnswer):
    """The deadline passed; the run goes on and its result is kept: do not send it again."""

    code = "answer_timeout"


class AnswerDelayed(NoAnswer):
    """Temporal or the database went away after the event was stored; the sweeper takes it up, and
    it must not be sent again."""

    code = "answer_delayed"


class AnswerUnknown(NoAnswer):
    """Nobody can say now whether the event is stored; if it is, it will be worked on."""

    code = "answer_unknown"


class InternalError(DomainError):
    code = "internal_error"


class RunNotFound(DomainError):
    """There is no such run, or it is another client's: nobody can tell which."""

    code = "run_not_found"


class PlaybookNotFound(DomainError):
    code = "playbook_not_found"


class KeyNotFound(DomainError):
    code = "key_not_found"


class IntegrationNotFound(DomainError):
    code = "integration_not_found"


class ContentNotFound(DomainError):
    """The client has no such template or knowledge entry."""

    code = "content_not_found"


class InvalidInput(DomainError):
    """An operator's value breaks a rule; the message names it."""

    code = "invalid_input"
