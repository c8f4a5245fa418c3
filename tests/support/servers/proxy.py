"""A proxy before PostgreSQL that can fall silent while its connections stay open."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import make_url


class Proxy:
    """`silent`: what either side says is swallowed from now on. `loses_commits`: a connection that
    has carried a COMMIT to PostgreSQL swallows its answer, and everything after it."""

    def __init__(self) -> None:
        self.silent = False
        self.loses_commits = False
        self.url = ""

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        while piece := await reader.read(65536):
            if not self.silent and not lost.is_set():
                if self.loses_commits and b"COMMIT\0" in piece:
                    lost.set()
                writer.write(piece)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def mutable_proxy(database_url: str) -> AsyncIterator[Proxy]:
    """Its `url` is `database_url` by way of the proxy, over TCP."""
    target = make_url(database_url)
    socket_folder = str(target.query["host"])
    proxy = Proxy()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = f"{socket_folder}/.s.PGSQL.5432"
        there_reader, there_writer = await asyncio.open_unix_connection(path)
        lost = asyncio.Event()
        for way in (
            proxy.carry(reader, there_writer, lost),
            proxy.carry(there_reader, writer, lost),
        ):
            tasks.add(asyncio.ensure_future(way))

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
