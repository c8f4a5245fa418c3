"""Errors of every noun's: the base of them all, what the HTTP edge refuses, and outages.

Types with stable codes, mapped to HTTP in `api/errors.py` only. A message never carries customer
text: errors are logged, reported and kept by Temporal."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

Fact = str | int | tuple[str, ...]


class DomainError(Exception):
    """An anticipated error. `code` is stable, snake case and part of the API."""

    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    retry_after_s: float | None = None
    """Seconds after which the same request may be let through, where that is known."""

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What the caller's answer may name; `api/errors.py` decides what it does."""
        return {}


class RuleBroken(DomainError):
    """What a caller sent breaks a rule, which `reason` names in the caller's language."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class InvalidBody(RuleBroken):
    """The body is no JSON object of the documented shape. `reason` names the rule it broke."""

    code = "invalid_body"


class InvalidQuery(RuleBroken):
    """A parameter of the query breaks a rule; `reason` names it."""

    code = "invalid_query"


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


class CallerBusy(DomainError):
    """One caller has as much under way at once as one may have; others are served meanwhile."""

    code = "caller_busy"
    retryable = True
    retry_after_s = 1.0


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


class EngineUnavailable(DomainError):
    """Temporal or the database did not answer; the caller may try again."""

    code = "engine_unavailable"
    retryable = True


class CommitUnknown(EngineUnavailable):
    """The database went away while it committed: what was to be written may be there or not."""

    code = "commit_unknown"


class OverBudget(DomainError):
    """A text costs more work than one event may: a person reads it instead."""

    code = "over_budget"


class InternalError(DomainError):
    code = "internal_error"


class InvalidInput(DomainError):
    """An operator's value breaks a rule; the message names it."""

    code = "invalid_input"


class InvalidContent(InvalidInput):
    """A template or an entry breaks a rule. Operators read the message, callers the `reason`, which
    is in French; neither holds what stands in it, but for the placeholder that cannot be read."""

    code = "invalid_content"

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class DocumentRefused(InvalidInput):
    """The document breaks rules of its kind, which `problems` name."""

    code = "document_refused"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class DocumentTooCostly(DomainError):
    """Reading the document takes more processor time than one may."""

    code = "document_too_costly"

    def __init__(self) -> None:
        super().__init__("reading the document takes too long: make it shorter or simpler")
