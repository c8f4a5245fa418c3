"""A proxy for PostgreSQL or Temporal that can fall silent or become slow while its connections stay
open."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import make_url

_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Proxy:
    """A proxy.

    - `silent`: drop all further data in both directions.
    - `loses_commits`: after a COMMIT to PostgreSQL, lose the response and all later data.
    - `delay_s`: the delay of each chunk, in each direction.
    - `opened`, `most`: the connections so far, and the maximum at one time.
    """

    def __init__(self) -> None:
        self.silent = False
        self.loses_commits = False
        self.delay_s = 0.0
        self.opened = self.open = self.most = 0
        self.url = ""

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        passing = asyncio.ensure_future(self._pass_on(under_way, writer, lost))
        try:
            piece = b"something"
            while piece:
                piece = await reader.read(65536)
                under_way.put_nowait((asyncio.get_running_loop().time() + self.delay_s, piece))
            await passing
        finally:
            passing.cancel()

    async def _pass_on(
        self,
        under_way: asyncio.Queue[tuple[float, bytes]],
        writer: asyncio.StreamWriter,
        lost: asyncio.Event,
    ) -> None:
        """Forward each chunk when it is due, until an empty one ends the connection."""
        while True:
            due, piece = await under_way.get()
            await asyncio.sleep(due - asyncio.get_running_loop().time())
            if not piece:
                break
            if not self.silent and not lost.is_set():
                if self.loses_commits and b"COMMIT\0" in piece:
                    lost.set()
                writer.write(piece)
                await writer.drain()
        writer.close()

    def closed(self) -> None:
        self.open -= 1


@asynccontextmanager
async def mutable_proxy(database_url: str) -> AsyncIterator[Proxy]:
    """Create a proxy whose `url` is `database_url` through the proxy, over TCP."""
    target = make_url(database_url)
    path = f"{target.query['host']}/.s.PGSQL.5432"
    async with _proxy(lambda: asyncio.open_unix_connection(path)) as (proxy, port):
        proxy.url = target.set(host="127.0.0.1", port=port, query={}).render_as_string(
            hide_password=False
        )
        yield proxy


@asynccontextmanager
async def tcp_proxy(address: str) -> AsyncIterator[Proxy]:
    """Create a proxy whose `url` is `address`, a host and a port, through the proxy."""
    host, _, there = address.rpartition(":")
    async with _proxy(lambda: asyncio.open_connection(host, int(there))) as (proxy, port):
        proxy.url = f"127.0.0.1:{port}"
        yield proxy


@asynccontextmanager
async def _proxy(connect: Callable[[], Awaitable[_Streams]]) -> AsyncIterator[tuple[Proxy, int]]:
    proxy = Proxy()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        proxy.opened += 1
        proxy.open += 1
        proxy.most = max(proxy.most, proxy.open)
        there_reader, there_writer = await connect()
        lost = asyncio.Event()
        there = asyncio.ensure_future(proxy.carry(reader, there_writer, lost))
        back = asyncio.ensure_future(proxy.carry(there_reader, writer, lost))
        tasks.update((there, back))
        # The peer has closed it, so it no longer counts.
        back.add_done_callback(lambda _: proxy.closed())

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield proxy, server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
