"""A small load balancer for servers whose /readyz returns 200."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx

from tests.support.core.waiting import eventually

_ASK_S = 0.2


class Balancer:
    """A load balancer at `url`. The test changes `servers`, the ports behind it."""

    def __init__(self) -> None:
        self.servers: set[int] = set()
        self.url = ""
        self._ready: list[int] = []
        self._carrying: set[asyncio.Task[None]] = set()

    async def sends_to(self, port: int) -> bool:
        return port in self._ready

    async def watch(self) -> None:
        async with httpx.AsyncClient(timeout=5) as http:
            while True:
                self._ready = [port for port in (*self.servers,) if await _is_ready(http, port)]
                await asyncio.sleep(_ASK_S)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        port = await eventually(self._next)
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        for way in (_carry(reader, there_writer), _carry(there_reader, writer)):
            task = asyncio.ensure_future(way)
            self._carrying.add(task)
            task.add_done_callback(self._carrying.discard)

    async def _next(self) -> int | None:
        """Return the ready servers in turn."""
        if not self._ready:
            return None
        self._ready = [*self._ready[1:], self._ready[0]]
        return self._ready[0]

    async def close(self) -> None:
        for task in self._carrying:
            task.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)


@asynccontextmanager
async def balancer() -> AsyncIterator[Balancer]:
    one = Balancer()
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    watching = asyncio.ensure_future(one.watch())
    try:
        yield one
    finally:
        watching.cancel()
        server.close()
        await one.close()
        with suppress(asyncio.CancelledError):
            await watching


async def _is_ready(http: httpx.AsyncClient, port: int) -> bool:
    try:
        return (await http.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200
    except httpx.TransportError:
        return False


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()
