"""TLS servers that send session tickets without end, which OpenSSL processes in one step."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address

import httpx
import pytest

from adapters.webhooks import dial, parsing_cost
from adapters.webhooks.dial import HTTP, BoundedSocket, Dialler, tls_context
from adapters.webhooks.parsing_cost import PIECE, BoundedTransport
from tests.support.servers.tls import certificate_authority

# The server sends all tickets after the handshake, each with about 250 bytes.
TICKETS = 20_000
BODY = b"line\n" * 60_000


@asynccontextmanager
async def server(tickets: int) -> AsyncIterator[tuple[int, ssl.SSLContext]]:
    """A server with this number of tickets. Yield its port and a context that trusts it."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY)
            await writer.drain()
        writer.close()

    with certificate_authority() as authority:
        context = authority.server_context()
        context.num_tickets = tickets
        async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as running:
            yield running.sockets[0].getsockname()[1], tls_context(authority.file, HTTP)


async def test_a_connector_ends_a_flood_of_tickets(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[int] = []
    receive = parsing_cost._Received.receive

    async def counted(self: parsing_cost._Received, max_bytes: int = PIECE) -> bytes:
        data = await receive(self, max_bytes)
        pieces.append(len(data))
        return data

    monkeypatch.setattr(parsing_cost._Received, "receive", counted)
    async with (
        server(TICKETS) as (port, context),
        httpx.AsyncClient(transport=BoundedTransport(verify=context)) as http,
    ):
        with pytest.raises(httpx.TransportError):
            await http.get(f"https://127.0.0.1:{port}/", timeout=30)
    assert max(pieces) <= PIECE
    assert sum(pieces) <= parsing_cost._ALLOWED_UNREAD


async def test_a_connector_reads_an_honest_response() -> None:
    async with (
        server(2) as (port, context),
        httpx.AsyncClient(transport=BoundedTransport(verify=context)) as http,
    ):
        assert (await http.get(f"https://127.0.0.1:{port}/", timeout=30)).content == BODY


async def asked(port: int, context: ssl.SSLContext) -> bytes:
    """Ask the server over a dialled socket, as webhooks and mail do."""
    sock = await Dialler(allow_private=True).connect([ip_address("127.0.0.1")], port)
    reader, writer = await asyncio.open_connection(
        sock=sock, ssl=context, server_hostname="127.0.0.1"
    )
    try:
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        async with asyncio.timeout(30):
            return await reader.read()
    finally:
        writer.transport.abort()


async def test_a_dialled_socket_ends_a_flood_of_tickets(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[int] = []

    class Counted(BoundedSocket):
        def recv_into(self, buffer: bytearray, nbytes: int = 0, flags: int = 0) -> int:  # type: ignore[override]
            pieces.append(super().recv_into(buffer, nbytes, flags))
            return pieces[-1]

    monkeypatch.setattr(dial, "BoundedSocket", Counted)
    async with server(TICKETS) as (port, context):
        with pytest.raises(OSError, match="too much"):
            await asked(port, context)
    assert max(pieces) <= PIECE
    assert sum(pieces) <= dial._MOST_RECEIVED


async def test_a_dialled_socket_reads_an_honest_response() -> None:
    async with server(2) as (port, context):
        assert (await asked(port, context)).endswith(BODY)
