"""Slack: an incoming webhook, which posts to the channel that it was created for.

It answers `ok`, or a word that is not JSON. It cannot be queried, so a connection is not tested:
the first notice shows whether the URL works.
"""

from collections.abc import Mapping
from typing import Final, Self
from urllib.parse import urlsplit

import httpx

from adapters.connectors.http import ConnectorCall
from domain.integrations.integration import Integration

_ORIGIN: Final = "https://hooks.slack.com"
_REVOKED: Final = b"invalid_token"
"""The body of Slack's 403 for a revoked URL."""


class Slack:
    """A Slack channel. Implements domain.integrations.ports.NoticeBoard."""

    def __init__(self, http: httpx.AsyncClient, url: str) -> None:
        self._http = http
        self._url = url

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Settings and credentials must be complete (`check_settings`, `check_credentials`)."""
        path = urlsplit(credentials["webhook_url"]).path
        return cls(http, f"{integration.base_url(_ORIGIN)}{path}")

    async def tell(self, text: str) -> None:
        """Post a message. Links and mentions are escaped.

        Raises NotAuthorized if the URL is revoked or its channel is deleted, ActionForbidden for
        any other 403, ActionRefused for any other refusal, ActionUnreachable if the message may be
        retried.
        """
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        body = {"text": plain, "mrkdwn": False, "unfurl_links": False, "unfurl_media": False}
        request = self._http.build_request("POST", self._url, json=body)
        await ConnectorCall(self._http).tell(request, revoked=_REVOKED)
