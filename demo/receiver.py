"""The demo shop's webhook receiver: a small local HTTPS server."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MAX_HEAD: Final = 64 * 1024
_MAX_BODY: Final = 1024 * 1024
_PATIENCE_S: Final = 10.0
_PATH: Final = "/webhooks"
_TAKEN: Final = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ReceivedWebhook:
    """A webhook request as received. Header names are in lower case."""

    headers: Mapping[str, str]
    body: bytes


class Receiver:
    """The receiver for the shop's webhooks. `heard` is called with each request, and by default
    appends it to `arrivals`."""

    def __init__(self) -> None:
        self.url = ""
        self.arrivals: list[ReceivedWebhook] = []
        self.heard: Callable[[ReceivedWebhook], None] = self.arrivals.append

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a request, pass it to `heard`, and respond with 204. An invalid request gets no
        response."""
        try:
            with suppress(OSError, ValueError, EOFError, TimeoutError, asyncio.LimitOverrunError):
                async with asyncio.timeout(_PATIENCE_S):
                    arrival = await _read(reader)
                    # Pass the request on before responding, so that it is stored before the sender
                    # considers the delivery successful.
                    self.heard(arrival)
                    writer.write(_TAKEN)
                    await writer.drain()
        finally:
            writer.close()


@asynccontextmanager
async def receiving(certificate: Path) -> AsyncIterator[Receiver]:
    """Run a receiver on a free localhost port while the block runs. `certificate` is a PEM file
    with a certificate and its private key."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    receiver = Receiver()
    server = await asyncio.start_server(receiver.take, "127.0.0.1", 0, ssl=tls, limit=_MAX_HEAD)
    port: int = server.sockets[0].getsockname()[1]
    receiver.url = f"https://localhost:{port}{_PATH}"
    try:
        yield receiver
    finally:
        server.close()


async def _read(reader: asyncio.StreamReader) -> ReceivedWebhook:
    """Read and return one HTTP request. Raises ValueError if it is invalid or too long."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    length = int(headers.get("content-length", "0"))
    if not 0 <= length <= _MAX_BODY:
        raise ValueError("too long")
    return ReceivedWebhook(headers, await reader.readexactly(length))
