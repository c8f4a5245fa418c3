"""Shared errors: the base class, and the errors for outages and for rejections at the HTTP edge.

Each type has a stable code, which `api/errors.py` maps to HTTP. Messages never contain customer
text, because they are logged, reported and stored by Temporal.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

Fact = str | int | tuple[str, ...]


class DomainError(Exception):
    """The base of errors that the code expects and callers can handle. `code` is a stable
    snake-case name, part of the API."""

    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    retry_after_s: float | None = None
    """Seconds after which the same request may succeed, if known."""

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Facts that the response may contain. `api/errors.py` selects them."""
        return {}


class RuleBroken(DomainError):
    """The caller's input violates a rule. `reason` explains the rule in the caller's language."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class InvalidBody(RuleBroken):
    """The body is not a JSON object with the documented schema. `reason` explains the violated
    rule."""

    code = "invalid_body"


class InvalidQuery(RuleBroken):
    """A query parameter violates a rule. `reason` explains the rule."""

    code = "invalid_query"


class InvalidRequest(DomainError):
    """The received bytes are not an HTTP/1.1 request."""

    code = "invalid_request"


class HeadTooLarge(DomainError):
    """The request line or the headers are too long, or there are too many headers."""

    code = "head_too_large"


class ServerBusy(DomainError):
    """The process has reached its maximum number of connections, and all of them are in use."""

    code = "server_busy"
    retryable = True


class CallerBusy(DomainError):
    """The caller has exceeded its limit of concurrent requests. Other callers are still served."""

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
    """Temporal or the database did not respond. The caller may retry."""

    code = "engine_unavailable"
    retryable = True


class CommitUnknown(EngineUnavailable):
    """The database connection was lost during a commit. The data may or may not have been
    written."""

    code = "commit_unknown"


class OverBudget(DomainError):
    """A text exceeds the step limit for one event (`domain/core/effort.py`), so a human must read
    it."""

    code = "over_budget"


class InternalError(DomainError):
    code = "internal_error"


class InvalidInput(DomainError):
    """A value given by an operator violates a rule. The message explains the rule."""

    code = "invalid_input"


class InvalidContent(InvalidInput):
    """A template or knowledge entry violates a rule. The message is for operators, and the French
    `reason` for callers. Neither quotes the content, apart from an invalid placeholder."""

    code = "invalid_content"

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class DocumentRefused(InvalidInput):
    """The document violates rules of its kind. `problems` lists the violations."""

    code = "document_refused"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class DocumentTooCostly(DomainError):
    """Parsing the document exceeds the CPU time limit."""

    code = "document_too_costly"

    def __init__(self) -> None:
        super().__init__("reading the document takes too long: make it shorter or simpler")
