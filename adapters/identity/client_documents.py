"""Client ID metadata documents: the id of an OAuth client is the URL of its description.

Anyone may choose the URL, so fetching has the same SSRF protection as webhooks, and connects to the
checked address.
"""

import asyncio
import json
import re
from asyncio import Lock
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import httpx

from adapters.webhooks.dial import HTTP, tls_context, vetted
from adapters.webhooks.failures import PostFailed
from adapters.webhooks.lookup import LOOKUP_S, LookUp, Names, system_look_up
from adapters.webhooks.parsing_cost import BoundedTransport
from domain.core.ports import Clock
from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.oauth_client import OAuthClient, client_of_document
from domain.webhooks.address_guard import Address
from domain.webhooks.errors import Deferred, InvalidWebhook
from domain.webhooks.url import check_url

MAX_BYTES: Final = 5 * 1024
BUDGET_S: Final = 5.0
"""Timeout for fetching a document, in seconds. It covers the DNS lookup, connection, TLS and the
whole response."""
_TRIED: Final = 2
"""Maximum number of addresses tried for one host name."""
_KEPT_AT_MOST: Final = 500
"""Maximum number of documents that a process caches."""
_LONGEST_S: Final = 3_600
_UNSAID_S: Final = 300
"""Cache lifetime in seconds for a document that does not state a lifetime."""
_MAX_AGE: Final = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class _Kept:
    client: OAuthClient
    until: float


class HttpClientDocuments:
    """A fetcher and cache for client ID metadata documents, for one event loop. Implements
    domain.identity.ports.ClientDocuments."""

    def __init__(
        self,
        now: Clock,
        *,
        allow_private: bool,
        ca_file: Path | None,
        look_up: LookUp = system_look_up,
        budget_s: float = BUDGET_S,
    ) -> None:
        """Create the client. `allow_private` and `ca_file` are as for webhooks. Raises OSError for
        an unusable `ca_file`."""
        self._now = now
        self._allow_private = allow_private
        self._tls = tls_context(ca_file, HTTP)
        self._names = Names(look_up, LOOKUP_S)
        self._budget_s = budget_s
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        # A user fetches one document at a time.
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    async def find(self, url: str, *, asked_by: str) -> OAuthClient:
        now = self._now().timestamp()
        kept = self._kept.get(url)
        if kept is not None and now < kept.until:
            return kept.client
        try:
            async with asyncio.timeout(self._budget_s), self._turns.setdefault(asked_by, Lock()):
                body, lasts_s = await self._fetched(_checked(url, self._allow_private), asked_by)
        except (httpx.HTTPError, PostFailed, Deferred, OSError):  # OSError includes TimeoutError.
            raise _none("the metadata document cannot be fetched") from None
        client = client_of_document(url, _object(body))
        self._kept.pop(url, None)
        if lasts_s:
            self._kept[url] = _Kept(client, now + lasts_s)
            while len(self._kept) > _KEPT_AT_MOST:
                self._kept.popitem(last=False)
        return client

    async def _fetched(self, url: str, asked_by: str) -> tuple[bytes, int]:
        """Return the document, and its cache lifetime in seconds."""
        host = str(urlsplit(url).hostname)
        addresses = vetted(await self._found(host, asked_by), allow_private=self._allow_private)
        async with httpx.AsyncClient(
            transport=BoundedTransport(verify=self._tls),
            trust_env=False,
            follow_redirects=False,
            timeout=self._budget_s,
        ) as http:
            *others, last = addresses[:_TRIED]
            for address in others:
                try:
                    return await _asked(http, url, address)
                except httpx.ConnectError:
                    continue
            return await _asked(http, url, last)

    async def _found(self, host: str, asked_by: str) -> Sequence[str]:
        try:
            return [str(ip_address(host))]
        except ValueError:
            return await self._names.found(await self._names.begin(asked_by, host))


async def _asked(http: httpx.AsyncClient, url: str, address: Address) -> tuple[bytes, int]:
    """Fetch the document from this address only, with the host name for the certificate check and
    Host header. Return the body and its cache lifetime in seconds. Raises OAuthRefused for a status
    other than 200 or a document that is too large."""
    parts = urlsplit(url)
    dialled = f"[{address}]" if isinstance(address, IPv6Address) else str(address)
    target = parts._replace(netloc=f"{dialled}:{parts.port or 443}").geturl()
    headers = {"Host": parts.netloc, "Accept": "application/json", "Accept-Encoding": "identity"}
    extensions = {"sni_hostname": parts.hostname}
    async with http.stream("GET", target, headers=headers, extensions=extensions) as answer:
        if answer.status_code != 200:
            raise _none("the metadata document is not answered by 200")
        body = b""
        async for chunk in answer.aiter_raw():
            body += chunk
            if len(body) > MAX_BYTES:
                raise _none(f"the metadata document is larger than {MAX_BYTES} bytes")
        return body, _lasts(answer.headers.get("cache-control"))


def _checked(url: str, allow_private: bool) -> str:
    """Return the URL if it can be a client id. Raises OAuthRefused unless the URL is in canonical
    form, because client ids are compared exactly."""
    try:
        same = check_url(url, allow_private) == url
    except InvalidWebhook:
        same = False
    path = urlsplit(url).path if same else ""
    if len(path) < 2 or not {".", ".."}.isdisjoint(path.split("/")):
        raise _none("client_id: the URL of a metadata document is needed")
    return url


def _lasts(cache_control: str | None) -> int:
    """Return the cache lifetime of a response, in seconds, based on its Cache-Control header (RFC
    9111)."""
    if cache_control is None:
        return _UNSAID_S
    directives = cache_control.lower()
    if "no-store" in directives or "no-cache" in directives:
        return 0
    age = _MAX_AGE.search(directives)
    return min(int(age[1]), _LONGEST_S) if age else _UNSAID_S


def _object(body: bytes) -> dict[str, object]:
    try:
        # A 5 KB document cannot be nested deeply enough to cause problems.
        read = json.loads(body)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise _none("the metadata document is no JSON object")
    return read


def _none(why: str) -> OAuthRefused:
    return OAuthRefused(OAuthError.INVALID_CLIENT, why)
