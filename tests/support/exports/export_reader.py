"""A caller that reads a given part of an export over a real socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from api.http.edge_limits import DEFAULT_LIMITS
from tests.support.exports.export import EXPORT
from tests.support.tenants.shop import Shop

# An export of this size exceeds the capacity of the sockets and buffers.
ROWS, WEIGHT = 200, 50_000
PATIENT = replace(DEFAULT_LIMITS, stalled_s=60)


def request(shop: Shop, *, form: str = "json", version: str = "1.1") -> bytes:
    return (
        f"GET {EXPORT}?format={form} HTTP/{version}\r\nHost: a\r\n"
        f"Authorization: Bearer {shop.key}\r\n\r\n"
    ).encode()


class Reader:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.head = b""

    async def begin(self) -> None:
        """Read the headers and a little of the file, and then stop."""
        self.head = await self._reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in self.head.split(b"\r\n", 1)[0]
        assert await self._reader.read(1000)
        self._writer.transport.pause_reading()  # type: ignore[attr-defined]

    async def go_on(self) -> bytes:
        """Read the rest. Raises ConnectionResetError if the response is incomplete."""
        self._writer.transport.resume_reading()  # type: ignore[attr-defined]
        async with asyncio.timeout(30):
            return await self._reader.read()

    def leave(self) -> None:
        self._writer.transport.abort()


@asynccontextmanager
async def reader(port: int, sent: bytes) -> AsyncIterator[Reader]:
    ends, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    try:
        yield Reader(ends, writer)
    finally:
        writer.transport.abort()
