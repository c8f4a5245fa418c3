"""Fetch pages of websites, with limits on addresses, size and time."""

import asyncio
from email.message import Message
from typing import Final

import httpx

from adapters.connectors.guarded import GuardedHosts
from domain.content.site_address import address_on, is_loopback
from domain.content.site_import import MAX_PAGE_BYTES, PageNote
from domain.content.site_page import Fetched, PageUnreadable
from domain.integrations.errors import ActionRefused

FETCH_S: Final = 15.0
"""Timeout for one page including its redirects, in seconds."""
_MAX_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_GONE: Final = frozenset({404, 410})
_FORBIDDEN: Final = frozenset({401, 402, 403, 407, 451})
_PLAIN: Final = frozenset({"", "identity", "gzip", "x-gzip"})


class SiteFetcher:
    """A fetcher of pages for one client at a time. `http` is the HTTP client for sites on this
    machine, which `allow_loopback` allows only for tests and demos."""

    def __init__(
        self,
        hosts: GuardedHosts,
        http: httpx.AsyncClient,
        *,
        allow_loopback: bool,
        fetch_s: float = FETCH_S,
    ) -> None:
        self._hosts = hosts
        self._http = http
        self._allow_loopback = allow_loopback
        self._fetch_s = fetch_s

    async def fetch(self, client_id: str, url: str) -> Fetched:
        """Return a page's response with a 2xx status, after redirects on the same origin. Raises
        PageUnreadable."""
        try:
            async with asyncio.timeout(self._fetch_s):
                return await self._followed(self._client_for(client_id, url), url)
        except (TimeoutError, httpx.TimeoutException):
            note = PageNote.TOO_SLOW
        except ActionRefused:
            note = PageNote.BLOCKED
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            note = PageNote.UNREACHABLE
        # The new error is not chained, because some of the library's errors quote the response.
        raise PageUnreadable(note)

    def _client_for(self, client_id: str, url: str) -> httpx.AsyncClient:
        if self._allow_loopback and is_loopback(url):
            return self._http
        return self._hosts.http_for(client_id)

    async def _followed(self, http: httpx.AsyncClient, url: str) -> Fetched:
        for _ in range(_MAX_REDIRECTS + 1):
            async with http.stream("GET", url) as response:
                if response.status_code not in _REDIRECTS:
                    return await _read(response, url)
                target = address_on(url, response.headers.get("location", ""))
            if target is None:
                raise PageUnreadable(PageNote.ELSEWHERE)
            url = target
        raise PageUnreadable(PageNote.ELSEWHERE)


async def _read(response: httpx.Response, url: str) -> Fetched:
    _check_status(response.status_code)
    # The body is requested uncompressed, and uncompressed only in a child process, with a limit.
    if response.headers.get("content-encoding", "").strip().lower() not in _PLAIN:
        raise PageUnreadable(PageNote.NOT_HTML)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAX_PAGE_BYTES:
            raise PageUnreadable(PageNote.TOO_LARGE)
    header = Message()
    header["content-type"] = response.headers.get("content-type", "")[:200] or "text/html"
    return Fetched(
        url=url,
        status=response.status_code,
        body=bytes(body),
        content_type=header.get_content_type(),
        charset=str(header.get_content_charset("") or ""),
    )


def _check_status(status: int) -> None:
    if 200 <= status < 300:
        return
    if status in _GONE:
        raise PageUnreadable(PageNote.MISSING)
    raise PageUnreadable(PageNote.FORBIDDEN if status in _FORBIDDEN else PageNote.UNREACHABLE)
