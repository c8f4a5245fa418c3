"""Ports for authentication."""

from typing import Protocol

from domain.identity.contracts import SendMailInput
from domain.identity.oauth_client import OAuthClient


class ClientDocuments(Protocol):
    async def find(self, url: str, *, asked_by: str) -> OAuthClient:
        """Return the OAuth client described by the metadata document at this URL.

        Concurrent fetches are limited for each `asked_by`. Raises OAuthRefused (invalid_client)
        without such a document, and the errors of `client_of_document`.
        """
        ...


class MailStarter(Protocol):
    """A starter of the workflow that sends an email once the email's record is committed."""

    async def mail(self, mail: SendMailInput) -> None:
        """Start the workflow that sends the email, unless it is already running. Raises
        EngineUnavailable."""
        ...
