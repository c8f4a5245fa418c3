"""The database: one engine a process, and the one way to a transaction."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Final

import orjson
import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from domain.errors import EngineUnavailable
from domain.ids import TenantId

APP_ROLE: Final = "engine_app"
SERVICE_ROLE: Final = "engine_service"

# A caller is told within 5 s that the database is away; each of these must be shorter.
_CONNECT_TIMEOUT_S: Final = 2
_POOL_TIMEOUT_S: Final = 3
_PING_AFTER_S: Final = 1.0
_PING_TIMEOUT_S: Final = 1.0
# The server's own limits say nothing when the server is silent, so the client keeps time too.
_TRANSACTION_TIMEOUT_S: Final = 3.5
_LOCK_TIMEOUT: Final = "2s"
_STATEMENT_TIMEOUT: Final = "3s"


def psycopg_url(url: str) -> sa.URL:
    """A PostgreSQL URL as SQLAlchemy's psycopg dialect wants it; sa.exc.ArgumentError if none."""
    return sa.make_url(url).set(drivername="postgresql+psycopg")


class Database:
    """A pool of connections. Every repository works on a connection that comes from here.

    Each is `engine_app`, whoever logged in: row-level security shows it the rows of the one client
    that its transaction names (`migrations/tenancy.py`).
    """

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self.engine: AsyncEngine = create_async_engine(
            psycopg_url(url),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=_POOL_TIMEOUT_S,
            # Transactions are opened below, together with whose they are: one round trip.
            isolation_level="AUTOCOMMIT",
            # What customers wrote is bound to statements, and errors are logged.
            hide_parameters=True,
            json_serializer=_dump,
            json_deserializer=orjson.loads,
            connect_args={
                "connect_timeout": _CONNECT_TIMEOUT_S,
                "options": f"-c role={APP_ROLE} "
                f"-c lock_timeout={_LOCK_TIMEOUT} -c statement_timeout={_STATEMENT_TIMEOUT} "
                "-c idle_in_transaction_session_timeout=30s -c timezone=UTC",
            },
        )
        _ping_after_idling(self.engine)

    def tenant(self, tenant: TenantId) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction on one client's rows; no other row can be seen or written.

        Like `service`: committed when the block ends, rolled back when it raises; raises
        EngineUnavailable when PostgreSQL cannot be reached, went away or keeps silent.
        """
        whose = sql.SQL("SET LOCAL app.client_id = {}").format(sql.Literal(tenant))
        return self._transaction(sql.SQL("BEGIN; ") + whose)

    def service(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that spans clients: sign-in, operators, sweepers and schedules."""
        return self._transaction(_BEGIN_SERVICE)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[AsyncConnection]:
        """No transaction and no client: no row at all, only functions that answer without one."""
        async with self._connection() as (connection, _):
            yield connection

    @asynccontextmanager
    async def _transaction(self, begin: sql.SQL | sql.Composed) -> AsyncIterator[AsyncConnection]:
        async with self._connection() as (connection, raw):
            # Not prepared: PostgreSQL prepares single statements only.
            await raw.execute(begin, prepare=False)
            yield connection
            await raw.commit()

    @asynccontextmanager
    async def _connection(
        self,
    ) -> AsyncIterator[tuple[AsyncConnection, "psycopg.AsyncConnection[object]"]]:
        try:
            async with self.engine.connect() as connection:
                raw = (await connection.get_raw_connection()).driver_connection
                if not isinstance(raw, psycopg.AsyncConnection):
                    raise TypeError("a psycopg connection is expected")
                try:
                    with _cut_after(_TRANSACTION_TIMEOUT_S, raw):
                        yield connection, raw
                except psycopg.OperationalError:
                    await connection.invalidate()
                    raise
        except (OperationalError, psycopg.OperationalError, PoolTimeout) as error:
            raise EngineUnavailable("the database did not answer") from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise EngineUnavailable("the database went away") from error
            raise

    async def ping(self) -> None:
        """Ask PostgreSQL for an answer. Raises EngineUnavailable."""
        async with self._connection() as (_, raw):
            await raw.execute("SELECT 1")

    async def close(self) -> None:
        await self.engine.dispose()


_BEGIN_SERVICE: Final = sql.SQL(f"BEGIN; SET LOCAL ROLE {SERVICE_ROLE}")


def _ping_after_idling(engine: AsyncEngine) -> None:
    """Ask a connection that has rested whether it still lives, and replace it if not.

    Under load none rests, so no statement is preceded by a ping; there the first one to meet a
    restarted server fails, and SQLAlchemy then replaces all.
    """

    def on_checkin(_: object, record: ConnectionPoolEntry) -> None:
        record.info["rested_since"] = time.monotonic()

    def on_checkout(connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        rested_since = record.info.get("rested_since")
        if rested_since is None or time.monotonic() - rested_since < _PING_AFTER_S:
            return
        try:
            with _cut_after(_PING_TIMEOUT_S, connection.driver_connection):
                engine.sync_engine.dialect.do_ping(connection)
        except engine.sync_engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error  # the pool then opens a fresh one

    event.listen(engine.sync_engine, "checkin", on_checkin)
    event.listen(engine.sync_engine, "checkout", on_checkout)


@contextmanager
def _cut_after(seconds: float, connection: object) -> Iterator[None]:
    """Cut the connection's socket when the time is over, which ends whatever waits on it.

    Cancelling would not do: psycopg then asks the same silent server to stop, and waits for it.
    """
    if not isinstance(connection, psycopg.AsyncConnection):
        raise TypeError("a psycopg connection is expected")

    def cut() -> None:
        if not connection.closed:
            with socket.socket(fileno=os.dup(connection.fileno())) as handle:
                handle.shutdown(socket.SHUT_RDWR)

    timer = asyncio.get_running_loop().call_later(seconds, cut)
    try:
        yield
    finally:
        timer.cancel()


def _dump(value: object) -> str:
    return orjson.dumps(value).decode()
