"""Errors around templates and knowledge."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class ContentNotFound(DomainError):
    """The client has no such template or knowledge entry."""

    code = "content_not_found"


class UnknownProvider(DomainError):
    """A connection is stored whose provider this version does not know: another version made it.

    It stays as it is, and what needs the client's connections waits for a version that knows it, or
    until the connection is ended.
    """

    code = "unknown_provider"
    retryable = True

    def __init__(self, integration_id: str, provider: str) -> None:
        super().__init__(f"integration {integration_id}: this version knows no provider {provider}")


class TooMuchContent(DomainError):
    """The client has as many templates, or entries, as one may have: `limit`."""

    code = "too_much_content"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}
