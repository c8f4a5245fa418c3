"""One POST to a merchant's URL, and what came of it."""

import asyncio
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from adapters.webhooks.course import Course
from adapters.webhooks.dial import Dialler, tls_context, vetted
from adapters.webhooks.exchange import MAX_HEAD, Exchange
from adapters.webhooks.failures import MET
from adapters.webhooks.lookup import LOOKUP_S, LookUp, Names, system_look_up
from domain.webhooks.address_guard import Address
from domain.webhooks.delivery import DeliveryAttempt
from domain.webhooks.url import check_url

BUDGET_S: Final = 10.0
"""For look-up, connection, TLS, headers and body together."""


class HttpWebhookSender:
    """Implements domain.ports.WebhookSender. Used by one event loop.

    Nothing is shared between POSTs but the threads of look-ups: each has a connection of its own,
    which is cut when the answer is known.
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
        """`ca_file`: certificates (PEM) of authorities that are believed beside the public ones.

        Raises OSError if it cannot be used.
        """
        self._allow_private = allow_private
        self._tls = tls_context(ca_file)
        self._names = Names(look_up, lookup_s)
        self._budget_s = budget_s

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, client_id: str
    ) -> DeliveryAttempt:
        course = Course(Dialler(allow_private=self._allow_private))
        met: Exception | None = None
        try:
            async with asyncio.timeout(self._budget_s):
                await self._run(course, url, headers, body, client_id)
        except MET as error:
            met = error
        return course.ended(met)

    async def _run(
        self, course: Course, url: str, headers: Mapping[str, str], body: bytes, client_id: str
    ) -> None:
        target = urlsplit(check_url(url, self._allow_private))
        host = str(target.hostname)
        addresses = await self._addresses(course, client_id, host)
        sock = await course.dialler.connect(addresses, target.port or 443)
        course.connect_ms = course.ms()
        reader, writer = await asyncio.open_connection(
            sock=sock, ssl=self._tls, server_hostname=host, limit=MAX_HEAD
        )
        try:
            course.exchange = Exchange(reader, writer, course.first_byte)
            course.head = await course.exchange.ask(target, headers, body)
            await course.exchange.read()
        finally:
            writer.transport.abort()

    async def _addresses(self, course: Course, client_id: str, host: str) -> Sequence[Address]:
        try:
            found: Sequence[str] = [str(ip_address(host))]
        except ValueError:
            found = await self._names.addresses(client_id, host)
            course.dns_ms = course.ms()
        return vetted(found, allow_private=self._allow_private)
