"""Responses that are costly to parse: each is ended, and honest ones are read to the end."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import httpx
import pytest
from pydantic import BaseModel

from adapters.connectors.guarded import GuardedHosts
from adapters.connectors.http import ConnectorCall, open_client
from adapters.sites.site_fetcher import SiteFetcher
from adapters.webhooks.parsing_cost import BoundedTransport
from domain.content.site_import import PageNote
from domain.content.site_page import PageUnreadable
from domain.integrations.errors import ActionUnreachable

# Each block is sent again and again. As measured before the limit, each caller's loop was busy
# until its timeout, up to a tenth of a second at a time.
FLOODS: Final = {
    "interim": (b"", b"HTTP/1.1 100 \r\n\r\n" * 2_000),
    "interim heads": (b"", b"HTTP/1.1 103 x\r\n" + b"a:b\r\n" * 3_000 + b"\r\n"),
    "one long head": (b"HTTP/1.1 200 OK\r\n", b"a:b\r\n" * 3_000),
    "one-byte chunks": (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        b"1\r\na\r\n" * 5_000,
    ),
    "trailers": (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
        b"a:b\r\n" * 3_000,
    ),
}
# A flood that is not ended before reaches this limit of the server, and the test fails.
_ENOUGH: Final = 16 * 1024 * 1024


class Flood:
    """A server that repeats a block. `sent`: the number of bytes that it could send."""

    def __init__(self, first: bytes, block: bytes) -> None:
        self.url = ""
        self.sent = 0
        self._first, self._block = first, block

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(self._first)
            while self.sent < _ENOUGH:
                writer.write(self._block)
                await writer.drain()
                self.sent += len(self._block)
        writer.close()


@asynccontextmanager
async def flood(first: bytes, block: bytes) -> AsyncIterator[Flood]:
    given = Flood(first, block)
    async with await asyncio.start_server(given.serve, "127.0.0.1", 0) as server:
        given.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        yield given


def test_a_transport_with_a_context_loads_no_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading them takes a tenth of a second, and each OAuth client's document has a transport."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", None)
    monkeypatch.setattr(ssl, "create_default_context", None)

    BoundedTransport(verify=context)


@pytest.mark.parametrize("kind", sorted(FLOODS))
async def test_a_flood_is_ended(kind: str) -> None:
    async with flood(*FLOODS[kind]) as given, open_client() as http:
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get(given.url, timeout=30)
        assert given.sent < _ENOUGH


@pytest.mark.parametrize("kind", sorted(FLOODS))
async def test_a_connector_meets_a_flood(kind: str) -> None:
    async with flood(*FLOODS[kind]) as given, open_client() as http:
        with pytest.raises(ActionUnreachable):
            await ConnectorCall(http).read(http.build_request("GET", given.url), BaseModel)
        assert given.sent < _ENOUGH


@pytest.mark.parametrize("kind", sorted(FLOODS))
async def test_an_import_meets_a_flood(kind: str) -> None:
    async with flood(*FLOODS[kind]) as given, open_client() as http:
        fetcher = SiteFetcher(GuardedHosts(), http, allow_loopback=True)
        with pytest.raises(PageUnreadable) as refused:
            await fetcher.fetch("c", given.url)
    assert refused.value.note is PageNote.UNREACHABLE
    assert given.sent < _ENOUGH


@pytest.mark.parametrize(
    "head",
    [
        b"content-length: %d\r\n\r\n",
        b"x-long: " + b"v" * 12_000 + b"\r\ncontent-length: %d\r\n\r\n",
        b"".join(b"x-%d: v\r\n" % one for one in range(100)) + b"content-length: %d\r\n\r\n",
    ],
)
async def test_an_honest_response_is_read_to_the_end(head: bytes) -> None:
    body = b"line\n" * 800_000

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n" + head % len(body) + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server, open_client() as http:
        port = server.sockets[0].getsockname()[1]
        response = await http.get(f"http://127.0.0.1:{port}/", timeout=30)

    assert (response.status_code, response.content) == (200, body)


async def test_honest_chunks_are_read_to_the_end() -> None:
    chunk = b"%x\r\n" % 2_000 + b"c" * 2_000 + b"\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in range(1_000):
            writer.write(chunk)
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server, open_client() as http:
        port = server.sockets[0].getsockname()[1]
        response = await http.get(f"http://127.0.0.1:{port}/", timeout=30)

    assert len(response.content) == 2_000_000
