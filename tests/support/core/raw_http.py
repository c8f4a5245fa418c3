"""A raw HTTP connection, which sends data that no client library would send."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

PATIENCE_S = 20.0


@dataclass(frozen=True)
class RawAnswer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, object]:
        content = json.loads(self.body)
        assert isinstance(content, dict)
        return content

    @property
    def closes(self) -> bool:
        return self.headers.get("connection") == "close"


class RawConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self.opened = time.monotonic()

    @property
    def local_port(self) -> int:
        port = self.writer.get_extra_info("sockname")[1]
        assert isinstance(port, int)
        return port

    def stop_reading(self) -> None:
        self.writer.transport.pause_reading()  # type: ignore[attr-defined]

    async def send(self, data: bytes) -> bool:
        """Send the data, and return False if the peer has closed the connection."""
        try:
            self.writer.write(data)
            await self.writer.drain()
        except ConnectionError:
            return False
        return True

    async def answer(self) -> RawAnswer:
        async with asyncio.timeout(PATIENCE_S):
            head = await self._reader.readuntil(b"\r\n\r\n")
            first, *lines = head[:-4].decode().split("\r\n")
            pairs = (line.split(": ", 1) for line in lines)
            headers = {name.lower(): value for name, value in pairs}
            length = int(headers.get("content-length", "0"))
            body = await self._reader.readexactly(length)
        return RawAnswer(int(first.split()[1]), headers, body)

    async def rest(self) -> bytes:
        """Return the remaining data until the peer closes. Raises TimeoutError."""
        received = b""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while chunk := await self._reader.read(65536):
                    received += chunk
        except ConnectionError:
            pass
        return received

    async def closed_after(self) -> float:
        """Return the seconds from opening until the peer closes without a response."""
        assert await self.rest() == b""
        return time.monotonic() - self.opened

    async def drip(self, next_bytes: Callable[[], bytes], *, every_s: float) -> bytes:
        """Send a few bytes now and then until the peer closes, and return its response."""
        received = b""
        async with asyncio.timeout(PATIENCE_S):
            while await self.send(next_bytes()):
                try:
                    async with asyncio.timeout(every_s):
                        chunk = await self._reader.read(65536)
                except TimeoutError:
                    continue
                except ConnectionError:
                    break
                if not chunk:
                    break
                received += chunk
        return received

    async def pour(self, data: bytes) -> int:
        """Send `data` repeatedly until the peer closes, and return the number of accepted bytes."""
        sent = 0
        async with asyncio.timeout(PATIENCE_S):
            while await self.send(data):
                sent += len(data)
                await asyncio.sleep(0)  # the response is read concurrently
        return sent


@asynccontextmanager
async def raw_connection(port: int, address: str | None = None) -> AsyncIterator[RawConnection]:
    """Open a connection. `address` is the local address."""
    own = (address, 0) if address else None
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20, local_addr=own)
    try:
        yield RawConnection(reader, writer)
    finally:
        writer.transport.abort()


async def ask(port: int, request: bytes, address: str | None = None) -> RawAnswer:
    """Send a request on a new connection."""
    async with raw_connection(port, address) as connection:
        await connection.send(request)
        return await connection.answer()
