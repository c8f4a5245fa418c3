"""A PostgreSQL server for one test, which may fill, kill and restart it."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import psycopg

from embedded.postgres import EmbeddedPostgres
from store.core.migrate import migrate
from tests.support.core.waiting import eventually


class OwnPostgres:
    """A PostgreSQL server. `url` is the service's URL, which stays the same after each start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = EmbeddedPostgres(folder)
        self.url = self.owner_url = ""

    async def start(self) -> None:
        """Start the server, and wait until it responds."""
        self._server = EmbeddedPostgres(self._folder)
        await asyncio.to_thread(self._server.__enter__)
        self.url, self.owner_url = self._server.url, self._server.owner_url

    async def stop(self) -> None:
        """Shut the server down cleanly, unless it has ended."""
        await asyncio.to_thread(self._server.__exit__, None, None, None)

    async def stop_at_once(self) -> None:
        """Kill the server, like a power failure, and wait until it has ended."""
        with suppress(ProcessLookupError, FileNotFoundError):
            pid = int((self._folder / "postmaster.pid").read_text().split()[0])
            os.kill(pid, signal.SIGQUIT)
            await eventually(lambda: _gone(pid))
        # The package treats a process that was not waited for as running.
        self._server._server._postmaster_info = None
        await self.stop()

    async def set(self, **settings: object) -> None:
        """Change settings. They take effect at the next start."""
        async with await psycopg.AsyncConnection.connect(self.owner_url, autocommit=True) as owner:
            for name, value in settings.items():
                await owner.execute(f"ALTER SYSTEM SET {name} = '{value}'")


async def _gone(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True


@asynccontextmanager
async def own_postgres(
    within: Path | None = None, **settings: object
) -> AsyncIterator[OwnPostgres]:
    """Create a server with the service's tables, in a given or a new folder."""
    with tempfile.TemporaryDirectory(dir=within, ignore_cleanup_errors=True) as folder:
        server = OwnPostgres(Path(folder) / "postgres")
        await server.start()
        try:
            if settings:
                await server.set(**settings)
                await server.stop()
                await server.start()
            await asyncio.to_thread(migrate, server.owner_url)
            yield server
        finally:
            await server.stop_at_once()
