"""A keep-alive HTTP client with minimal overhead, so that the load does not distort the results."""

import asyncio
from types import TracebackType
from typing import Final, Self

_TIMEOUT_S: Final = 35.0


class HttpClient:
    """One connection to a server on this machine, for one request at a time."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()

    @property
    def is_open(self) -> bool:
        """True while the connection is open. False once the server has closed the connection, for
        example because it was idle."""
        return not self._reader.at_eof()

    async def post(self, path: str, key: str, body: bytes) -> tuple[int, bytes]:
        """Send a POST, and return the response's status and body. The server must send a
        Content-Length."""
        return await self._exchange(
            f"{self._head('POST', path, key)}Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n",
            body,
        )

    async def get(self, path: str, key: str) -> tuple[int, bytes]:
        """Send a GET, and return the response's status and body, like `post`."""
        return await self._exchange(f"{self._head('GET', path, key)}\r\n", b"")

    def _head(self, method: str, path: str, key: str) -> str:
        return (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
            f"Authorization: Bearer {key}\r\n"
        )

    async def _exchange(self, head: str, body: bytes) -> tuple[int, bytes]:
        self._writer.write(head.encode() + body)
        async with asyncio.timeout(_TIMEOUT_S):
            lines = (await self._reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
            length = next(
                int(line.partition(b":")[2])
                for line in lines
                if line.lower().startswith(b"content-length:")
            )
            answer = await self._reader.readexactly(length)
        return int(lines[0].split(b" ")[1]), answer
