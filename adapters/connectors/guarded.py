"""HTTP access to hosts chosen by merchants, with the same SSRF protection as outgoing webhooks.

A request fails if any of its host's addresses is not public, and connects to a checked address. The
certificate check and the Host header use the name.
"""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

import httpx

from adapters.connectors.http import CALL_S, IDENTITY
from adapters.webhooks.dial import HTTP, tls_context, vetted
from adapters.webhooks.failures import PostFailed
from adapters.webhooks.lookup import LOOKUP_S, LookUp, Names, system_look_up
from adapters.webhooks.parsing_cost import BoundedTransport
from domain.core.service_name import ServiceName
from domain.integrations.errors import ActionRefused
from domain.webhooks.address_guard import Address
from domain.webhooks.delivery import FailureKind
from domain.webhooks.errors import Deferred, InvalidWebhook
from domain.webhooks.url import check_url

_TRIED: Final = 3
"""Maximum number of addresses tried for one host name."""
_EACH_S: Final = 1.0
"""Connection timeout for each address except the last, in seconds. It is short because a
connector's read request has three seconds in total."""
_LAST_S: Final = 3.0


class GuardedHosts:
    """HTTP clients for hosts chosen by merchants, for one event loop. DNS lookups are limited per
    client of the service."""

    def __init__(
        self,
        look_up: LookUp = system_look_up,
        inner: httpx.AsyncBaseTransport | None = None,
        *,
        user_agent: str = ServiceName().slug,
    ) -> None:
        self._names = Names(look_up, LOOKUP_S)
        self._inner = inner or BoundedTransport(verify=tls_context(None, HTTP))
        self._user_agent = user_agent

    def http_for(self, client_id: str) -> httpx.AsyncClient:
        """Return an HTTP client for one client of the service, which follows no redirects.

        Like `http.open_client`'s, it keeps no idle connections, so it need not be closed.
        """
        return httpx.AsyncClient(
            transport=_GuardedTransport(client_id, self._names, self._inner),
            timeout=httpx.Timeout(CALL_S, connect=_LAST_S),
            follow_redirects=False,
            trust_env=False,
            headers={"user-agent": self._user_agent, "accept-encoding": IDENTITY},
        )


class _GuardedTransport(httpx.AsyncBaseTransport):
    """An HTTP transport that connects over TLS, and only to public addresses. Raises ActionRefused
    for a forbidden host, and httpx's own errors in all other cases."""

    def __init__(self, client_id: str, names: Names, inner: httpx.AsyncBaseTransport) -> None:
        self._client_id = client_id
        self._names = names
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        *others, last = (await self._addresses(request))[:_TRIED]
        for address in others:
            try:
                return await self._inner.handle_async_request(_aimed(request, address, _EACH_S))
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._inner.handle_async_request(_aimed(request, last, _LAST_S))

    async def _addresses(self, request: httpx.Request) -> Sequence[Address]:
        try:
            check_url(str(request.url), allow_private=False)
            return vetted(await self._found(request.url.host), allow_private=False)
        except InvalidWebhook:
            failure = "the shop's address is not allowed"
        except PostFailed as error:
            if error.kind is not FailureKind.BLOCKED_ADDRESS:
                raise httpx.ConnectError("the host's name was not found") from None
            failure = "the shop's host leads to an address that is not allowed"
        except Deferred:
            raise httpx.ConnectTimeout("no look-up is free") from None
        raise ActionRefused(failure)

    async def _found(self, host: str) -> Sequence[str]:
        try:
            return [str(ip_address(host))]
        except ValueError:
            return await self._names.found(await self._names.begin(self._client_id, host))


def _aimed(request: httpx.Request, address: Address, connect_s: float) -> httpx.Request:
    """Return the same request, addressed to one of its host's IP addresses."""
    timeouts = {**request.extensions.get("timeout", {}), "connect": connect_s}
    return httpx.Request(
        request.method,
        request.url.copy_with(host=str(address)),
        headers=request.headers,
        stream=request.stream,
        extensions={
            **request.extensions,
            "timeout": timeouts,
            "sni_hostname": request.url.host,
        },
    )
