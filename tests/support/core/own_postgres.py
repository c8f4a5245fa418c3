"""A PostgreSQL of one test's own, which it may fill, stop at once and start again."""

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
    """`url`: the service's, the same after each start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = EmbeddedPostgres(folder)
        self.url = self.owner_url = ""

    async def start(self) -> None:
        """Return when it answers."""
        self._server = EmbeddedPostgres(self._folder)
        await asyncio.to_thread(self._server.__enter__)
        self.url, self.owner_url = self._server.url, self._server.owner_url

    async def stop(self) -> None:
        """In order; nothing if it has ended."""
        await asyncio.to_thread(self._server.__exit__, None, None, None)

    async def stop_at_once(self) -> None:
        """As a power failure would end it; return when it is gone."""
        with suppress(ProcessLookupError, FileNotFoundError):
            pid = int((self._folder / "postmaster.pid").read_text().split()[0])
            os.kill(pid, signal.SIGQUIT)
            await eventually(lambda: _gone(pid))
        # The package takes a process that nobody has waited for as one that runs.
        self._server._server._postmaster_info = None
        await self.stop()

    async def set(self, **settings: object) -> None:
        """Settings that hold from the next start on."""
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
    """A server with the service's tables, in a folder within another or one of its own."""
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
