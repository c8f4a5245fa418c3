"""Errors about what a client brings: settings, templates, knowledge, integrations."""

from collections.abc import Mapping

from domain.errors import DomainError, InvalidInput


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


class InvalidSettings(InvalidContent):
    """The same of what a client has set."""

    code = "invalid_settings"


class InvalidIntegration(InvalidContent):
    """The same of a connection; `reason` is the name of the field, and nothing of its value."""

    code = "invalid_integration"


class TooMuchContent(DomainError):
    """The client has as many templates, or entries, as one may have: `limit`."""

    code = "too_much_content"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}
