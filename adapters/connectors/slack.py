"""Slack's incoming webhooks. Each webhook posts to one channel.

Slack's response is `ok`, or a word that is not JSON. A new connection is not tested, because an
incoming webhook cannot be queried. The first posted message shows whether the URL works.
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
        """Post a message to the channel. Links and mentions in the message are escaped.

        Raises NotAuthorized if the URL has been revoked or its channel has been deleted. Raises
        ActionForbidden for any other 403, ActionRefused for any other rejection, and
        ActionUnreachable if the message may be retried.
        """
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        body = {"text": plain, "mrkdwn": False, "unfurl_links": False, "unfurl_media": False}
        request = self._http.build_request("POST", self._url, json=body)
        await ConnectorCall(self._http).tell(request, revoked=_REVOKED)
