"""What signing in needs from outside."""

from typing import Protocol

from domain.identity.contracts import SendMailInput
from domain.identity.oauth_client import OAuthClient


class ClientDocuments(Protocol):
    async def find(self, url: str, *, asked_by: str) -> OAuthClient:
        """The client that the metadata document at this URL describes.

        `asked_by`: who may not have too many fetched at once. Raises OAuthRefused (invalid_client)
        where there is no such document, and what `client_of_document` raises.
        """
        ...


class MailStarter(Protocol):
    """What sends a mail whose record is committed."""

    async def mail(self, mail: SendMailInput) -> None:
        """Start its workflow; one that is under way is left alone. Raises EngineUnavailable."""
        ...
