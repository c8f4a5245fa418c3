"""Slack's incoming webhooks. Each webhook posts to one channel.

Slack responds with `ok` or an error word. An incoming webhook cannot be queried, so only its first
message shows whether the URL works.
"""

from collections.abc import Mapping
from typing import Final, Self
from urllib.parse import urlsplit

import httpx

from adapters.connectors.http import ConnectorCall
from domain.integrations.integration import Integration

_ORIGIN: Final = "https://hooks.slack.com"
_REVOKED: Final = b"invalid_token"
"""The body of Slack's 403 response for a revoked URL."""


class Slack:
    """A Slack channel. Implements domain.integrations.ports.NoticeBoard."""

    def __init__(self, http: httpx.AsyncClient, url: str) -> None:
        self._http = http
        self._url = url

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. The integration's settings and credentials must
        be complete (`check_settings`, `check_credentials`)."""
        path = urlsplit(credentials["webhook_url"]).path
        return cls(http, f"{integration.base_url(_ORIGIN)}{path}")

    async def tell(self, text: str) -> None:
        """Post a message to the channel, with links and mentions escaped.

        Raises NotAuthorized for a revoked URL or deleted channel, ActionForbidden for another 403,
        ActionRefused for other rejections, and ActionUnreachable if a retry may help.
        """
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        body = {"text": plain, "mrkdwn": False, "unfurl_links": False, "unfurl_media": False}
        request = self._http.build_request("POST", self._url, json=body)
        await ConnectorCall(self._http).tell(request, revoked=_REVOKED)
