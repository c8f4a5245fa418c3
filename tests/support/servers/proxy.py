"""A proxy before PostgreSQL that can fall silent, or slow, while its connections stay open."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import make_url


class Proxy:
    """`silent`: what either side says is swallowed from now on. `loses_commits`: a connection that
    has carried a COMMIT to PostgreSQL swallows its answer, and everything after it. `delay_s`: how
    long each piece is held. `opened`: how many connections were opened so far, `most`: at once."""

    def __init__(self) -> None:
        self.silent = False
        self.loses_commits = False
        self.delay_s = 0.0
        self.opened = self.open = self.most = 0
        self.url = ""

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        while piece := await reader.read(65536):
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
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
    """Its `url` is `database_url` by way of the proxy, over TCP."""
    target = make_url(database_url)
    socket_folder = str(target.query["host"])
    proxy = Proxy()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        proxy.opened += 1
        proxy.open += 1
        proxy.most = max(proxy.most, proxy.open)
        path = f"{socket_folder}/.s.PGSQL.5432"
        there_reader, there_writer = await asyncio.open_unix_connection(path)
        lost = asyncio.Event()
        there = asyncio.ensure_future(proxy.carry(reader, there_writer, lost))
        back = asyncio.ensure_future(proxy.carry(there_reader, writer, lost))
        tasks.update((there, back))
        # PostgreSQL has closed it, so it counts no more.
        back.add_done_callback(lambda _: proxy.closed())

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    proxy.url = target.set(host="127.0.0.1", port=port, query={}).render_as_string(
        hide_password=False
    )
    try:
        yield proxy
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
