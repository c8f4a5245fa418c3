"""The sender of a single POST to a merchant's URL. It returns the outcome of the POST."""

import asyncio
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from adapters.webhooks.delivery_trace import DeliveryTrace
from adapters.webhooks.dial import HTTP, Dialler, tls_context, vetted
from adapters.webhooks.exchange import Exchange
from adapters.webhooks.failures import MET, PostFailed
from adapters.webhooks.lookup import LOOKUP_S, LookUp, Names, system_look_up
from adapters.webhooks.parsing_cost import MAX_HEAD
from domain.webhooks.address_guard import Address
from domain.webhooks.delivery import DeliveryAttempt
from domain.webhooks.errors import Deferred
from domain.webhooks.url import check_url

BUDGET_S: Final = 10.0
"""Timeout for a whole POST, in seconds: lookup, connection, TLS, headers and body."""
_OURS: Final = ""
"""The client id used for the network self-check's DNS lookups."""


class HttpWebhookSender:
    """A sender of POSTs to merchants' URLs, for one event loop. Implements
    domain.webhooks.ports.WebhookSender.

    Each POST has its own connection, closed once the response is known. Only the lookup threads are
    shared.
    """

    def __init__(
        self,
        *,
        allow_private: bool,
        ca_file: Path | None,
        look_up: LookUp = system_look_up,
        budget_s: float = BUDGET_S,
        lookup_s: float = LOOKUP_S,
    ) -> None:
        """Create the sender. `ca_file` contains authorities (PEM) trusted in addition to the public
        ones. Raises OSError if it cannot be loaded."""
        self._allow_private = allow_private
        self._tls = tls_context(ca_file, HTTP)
        self._names = Names(look_up, lookup_s)
        self._budget_s = budget_s

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, client_id: str
    ) -> DeliveryAttempt:
        met: Exception | None = None
        try:
            target = urlsplit(check_url(url, self._allow_private))
            found = await self._lookup(client_id, str(target.hostname))
        except MET as error:
            return self._trace().ended(error)
        trace = self._trace()
        try:
            async with asyncio.timeout(self._budget_s):
                await self._run(trace, target, headers, body, found)
        except MET as error:
            met = error
        return trace.ended(met)

    async def finds(self, name: str) -> bool:
        try:
            await self._names.found(await self._names.begin(_OURS, name))
        except PostFailed:
            return False
        except Deferred:
            # No lookup took place, because no thread was free. That is not a failure of the
            # resolver.
            return True
        return True

    def _trace(self) -> DeliveryTrace:
        return DeliveryTrace(Dialler(allow_private=self._allow_private))

    async def _lookup(self, client_id: str, host: str) -> "Address | asyncio.Future[Sequence[str]]":
        """Return the host itself if it is an IP address, else the future of its DNS lookup. Raises
        Deferred."""
        try:
            return ip_address(host)
        except ValueError:
            return await self._names.begin(client_id, host)

    async def _run(
        self,
        trace: DeliveryTrace,
        target: SplitResult,
        headers: Mapping[str, str],
        body: bytes,
        found: "Address | asyncio.Future[Sequence[str]]",
    ) -> None:
        host = str(target.hostname)
        addresses = await self._addresses(trace, found)
        sock = await trace.dialler.connect(addresses, target.port or 443)
        trace.connect_ms = trace.ms()
        reader, writer = await asyncio.open_connection(
            sock=sock, ssl=self._tls, server_hostname=host, limit=MAX_HEAD
        )
        try:
            trace.exchange = Exchange(reader, writer, trace.first_byte)
            trace.head = await trace.exchange.ask(target, headers, body)
            await trace.exchange.read()
        finally:
            writer.transport.abort()

    async def _addresses(
        self, trace: DeliveryTrace, found: "Address | asyncio.Future[Sequence[str]]"
    ) -> Sequence[Address]:
        if not isinstance(found, asyncio.Future):
            return vetted([str(found)], allow_private=self._allow_private)
        names = await self._names.found(found)
        trace.dns_ms = trace.ms()
        return vetted(names, allow_private=self._allow_private)
