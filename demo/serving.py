"""A local web server for the demo's pages. It runs inside the demo's process."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.applications import Starlette


@asynccontextmanager
async def serving(listener: socket.socket, pages: Starlette) -> AsyncIterator[None]:
    """Serve the application on the listening socket while the block runs."""
    server = _Server(
        uvicorn.Config(
            pages,
            ws="none",
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=1,
        )
    )
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not handle signals. The `dev` command handles Ctrl-C, and stops this server."""
        yield
