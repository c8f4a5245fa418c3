"""A listener for PostgreSQL's commit notifications about changed widget sessions. All streams of a
process share one connection.

While it is down, notifications are lost. Streams therefore also read the state periodically, and
after reconnecting.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

import psycopg
import structlog
from sqlalchemy import URL

from store.core.database import APP_ROLE, psycopg_url
from store.core.socket_deadline import SocketDeadline
from store.widget.session_messages import WIDGET_CHANNEL

Heard = Callable[[str | None], None]
"""A callback that receives the changed session, as `client_id/session_id`. It receives None if any
session may have changed."""

_log = structlog.get_logger("api")

_CONNECT_TIMEOUT_S: Final = 2
_PATIENCE_S: Final = 1.0
# The interval between liveness checks of a connection without notifications, in seconds.
_SILENCE_S: Final = 15.0
_AGAIN_S: Final = 1.0


@asynccontextmanager
async def listening(url: str, heard: Heard) -> AsyncIterator[None]:
    """Listen for changed sessions while the block runs. The listener starts and keeps running even
    if PostgreSQL is unavailable."""
    task = asyncio.create_task(_listen_always(psycopg_url(url), heard))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _listen_always(url: URL, heard: Heard) -> None:
    while True:
        try:
            await _listen(url, heard)
        except (psycopg.Error, OSError) as error:
            _log.warning("failed to listen for widget sessions", error=type(error).__name__)
        await asyncio.sleep(_AGAIN_S)


async def _listen(url: URL, heard: Heard) -> None:
    """Listen for changed sessions until the connection is lost, which raises psycopg.Error."""
    connection = await psycopg.AsyncConnection.connect(
        url.set(drivername="postgresql").render_as_string(hide_password=False),
        autocommit=True,
        connect_timeout=_CONNECT_TIMEOUT_S,
        options=f"-c role={APP_ROLE}",
        application_name="widget sessions",
    )
    async with connection:
        await _ask(connection, f"LISTEN {WIDGET_CHANNEL}".encode())
        heard(None)
        while True:
            async for word in connection.notifies(timeout=_SILENCE_S):
                heard(word.payload)
            await _ask(connection, b"SELECT 1")


async def _ask(connection: "psycopg.AsyncConnection[tuple[object, ...]]", statement: bytes) -> None:
    """Execute a statement. Raises psycopg.Error, even if the server does not respond."""
    with SocketDeadline(connection) as socket_deadline:
        socket_deadline.within(_PATIENCE_S)
        await connection.execute(statement)
