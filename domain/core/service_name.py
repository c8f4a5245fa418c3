"""The service's name, as displayed in the User-Agent of webhooks, export files, emails, pages and
MCP."""

from dataclasses import dataclass
from typing import Final

SERVICE_NAME_PATTERN: Final = r"^[A-Za-z][A-Za-z0-9]*([ -][A-Za-z0-9]+)*$"
MAX_SERVICE_NAME: Final = 40
"""Maximum length of the service's name, in characters."""


@dataclass(frozen=True, slots=True)
class ServiceName:
    """The name of the service. `name`: letters, digits, single spaces and hyphens
    (SERVICE_NAME_PATTERN)."""

    name: str = "Service"

    def __str__(self) -> str:
        return self.name

    @property
    def token(self) -> str:
        """Return the name as a product token for a User-Agent header (RFC 9110): spaces become
        hyphens."""
        return self.name.replace(" ", "-")

    @property
    def slug(self) -> str:
        """Return the name in lower case with hyphens, for file names."""
        return self.token.lower()
