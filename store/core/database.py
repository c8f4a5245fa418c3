"""The database: one engine a process, and the one way to a transaction."""

import asyncio
import select
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Final

import orjson
import psycopg
import sqlalchemy as sa
from psycopg import sql
from psycopg.pq import TransactionStatus
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from domain.core.errors import CommitUnknown, EngineUnavailable
from domain.core.ids import TenantId
from store.core.client_turns import ClientTurns
from store.core.leash import Leash
from store.core.pool_use import PoolUse
from store.core.pools import WORK, of_a_client
from store.core.snapshot import Snapshot
from store.core.snapshot import begin as begin_snapshot

APP_ROLE: Final = "engine_app"
SERVICE_ROLE: Final = "engine_service"

# A caller is told within 5 s that the database is away; each of these must be shorter. The server's
# own limits say nothing when the server is silent, so the client keeps time too.
PATIENCE_S: Final = 3.5
# Of it, what is left for the statements: whoever has waited longer for a connection gives up, for
# its time would end in the middle of one, and the connection with it.
_FOR_STATEMENTS_S: Final = 1.5
_CONNECT_TIMEOUT_S: Final = 2
_PING_AFTER_S: Final = 1.0
_PING_TIMEOUT_S: Final = 1.0
_LOCK_TIMEOUT: Final = "2s"
_STATEMENT_TIMEOUT_S: Final = 3.0
# PostgreSQL ends a statement so long before its caller's time is over: the connection stays whole.
_ENDS_BEFORE_S: Final = 0.2
_SNAPSHOT_PATIENCE_S: Final = 30

WhoseRecord = Callable[[AsyncConnection, str], Awaitable[TenantId]]
"""Finds the client of a record by its id, for operators and people who are signed in."""


def psycopg_url(url: str) -> sa.URL:
    """A PostgreSQL URL as SQLAlchemy's psycopg dialect wants it; sa.exc.ArgumentError if none."""
    return sa.make_url(url).set(drivername="postgresql+psycopg")


class Database:
    """A pool of connections. Every repository works on a connection that comes from here.

    Each is `engine_app`, whoever logged in: row-level security shows it the rows of the one client
    that its transaction names (`migrations/tenancy.py`).
    """

    def __init__(self, url: str, *, pool_size: int = WORK) -> None:
        self.engine: AsyncEngine = create_async_engine(
            psycopg_url(url),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=PATIENCE_S,
            # The one used last: it needs no question whether it is still whole.
            pool_use_lifo=True,
            # Transactions are opened below, together with whose they are: one round trip.
            isolation_level="AUTOCOMMIT",
            # What customers wrote is bound to statements, and errors are logged.
            hide_parameters=True,
            json_serializer=_dump,
            json_deserializer=orjson.loads,
            connect_args={
                "connect_timeout": _CONNECT_TIMEOUT_S,
                "options": f"-c role={APP_ROLE} "
                f"-c lock_timeout={_LOCK_TIMEOUT} -c statement_timeout={_STATEMENT_TIMEOUT_S:.0f}s "
                # A plan that is kept was made for the tables of then (decision 0045).
                "-c plan_cache_mode=force_custom_plan "
                # A statement whose caller has hung up ends, too.
                "-c idle_in_transaction_session_timeout=30s -c client_connection_check_interval=1s "
                "-c timezone=UTC",
            },
        )
        self.use = PoolUse(self.engine)
        self._turns = ClientTurns(pool_size, of_a_client(pool_size))
        _ask_before_use(self.engine)
        event.listen(self.engine.sync_engine, "handle_error", _drop_one)

    def tenant(
        self, tenant: TenantId, *, patience_s: float = PATIENCE_S
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction on one client's rows; no other row can be seen or written.

        Like `service`: committed when the block ends, rolled back when it raises. It takes at most
        `patience_s` seconds with the wait for a connection, for which clients take turns
        (`client_turns.py`). Raises EngineUnavailable when PostgreSQL cannot be reached, went away
        or keeps silent, and CommitUnknown when it did so while committing.
        """
        whose = sql.SQL("SET LOCAL app.client_id = {}").format(sql.Literal(tenant))
        return self._transaction(_BEGIN + whose, patience_s, of=tenant)

    def service(
        self, *, patience_s: float = PATIENCE_S
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that spans clients: sign-in, operators, sweepers and schedules."""
        return self._transaction(_BEGIN_SERVICE, patience_s)

    def reading(self, tenant: TenantId) -> AbstractAsyncContextManager[AsyncConnection]:
        """As `tenant`, but PostgreSQL refuses every write."""
        whose = sql.SQL("SET LOCAL app.client_id = {}").format(sql.Literal(tenant))
        return self._transaction(_BEGIN_READING + whose, PATIENCE_S, of=tenant)

    def reading_across(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """As `service`, but PostgreSQL refuses every write."""
        return self._transaction(_BEGIN_READING + _AS_SERVICE, PATIENCE_S)

    async def find_client(self, whose: WhoseRecord, record_id: str) -> TenantId:
        """The client that a record belongs to. Raises what `whose` raises where there is none."""
        async with self.reading_across() as connection:
            return await whose(connection, record_id)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[AsyncConnection]:
        """No transaction and no client: no row at all, only functions that answer without one."""
        async with self._connection(PATIENCE_S) as (connection, _, _, _):
            yield connection

    @asynccontextmanager
    async def snapshot(
        self, tenant: TenantId, *, patience_s: float = _SNAPSHOT_PATIENCE_S
    ) -> AsyncIterator[Snapshot]:
        """One moment of a client's rows, to be read for as long as the block runs.

        It holds a connection meanwhile: take them from a pool of their own. `patience_s`: for each
        answer of PostgreSQL. Raises EngineUnavailable like `tenant`.
        """
        async with self._connection(PATIENCE_S, of=tenant) as (connection, raw, leash, _):
            try:
                await raw.execute(begin_snapshot(tenant), prepare=False)
            except psycopg.OperationalError:
                await connection.invalidate()
                raise
            try:
                leash.loosen()
                yield Snapshot(raw, leash, tenant, patience_s=patience_s)
            finally:
                leash.within(PATIENCE_S)
                with suppress(psycopg.OperationalError):  # there was nothing to write
                    await raw.rollback()

    async def ping(self) -> None:
        """Ask PostgreSQL for an answer. Raises EngineUnavailable."""
        async with self.unscoped() as connection:
            await connection.exec_driver_sql("SELECT 1")

    @asynccontextmanager
    async def _transaction(
        self, begin: sql.Composed, patience_s: float, *, of: TenantId | None = None
    ) -> AsyncIterator[AsyncConnection]:
        async with self._connection(patience_s, of=of) as (connection, raw, _, deadline):
            left = deadline - asyncio.get_running_loop().time() - _ENDS_BEFORE_S
            if left < _STATEMENT_TIMEOUT_S:
                begin += sql.SQL(f"; SET LOCAL statement_timeout = {max(1, int(left * 1000))}")
            try:
                # Not prepared: PostgreSQL prepares single statements only.
                await raw.execute(begin, prepare=False)
            except psycopg.OperationalError:
                await connection.invalidate()
                raise
            yield connection
            if raw.info.transaction_status is not TransactionStatus.INTRANS:
                # PostgreSQL would roll back, and say nothing.
                raise RuntimeError("a statement of this transaction failed: it cannot be committed")
            try:
                await raw.commit()
            except psycopg.OperationalError as error:
                await connection.invalidate()
                raise CommitUnknown("the database went away while it committed") from error

    @asynccontextmanager
    async def _connection(
        self, patience_s: float, *, of: TenantId | None = None
    ) -> AsyncIterator[tuple[AsyncConnection, "psycopg.AsyncConnection[object]", Leash, float]]:
        """One of the pool, cut at the deadline, which is a time of the loop's clock. `of`: the
        client that it is counted for."""
        deadline = asyncio.get_running_loop().time() + patience_s
        try:
            async with AsyncExitStack() as held:
                async with asyncio.timeout_at(deadline - min(_FOR_STATEMENTS_S, patience_s / 2)):
                    with self.use.wait():
                        await held.enter_async_context(self._turns.turn(of))
                        connection = await held.enter_async_context(self.engine.connect())
                raw = (await connection.get_raw_connection()).driver_connection
                if not isinstance(raw, psycopg.AsyncConnection):
                    raise TypeError("a psycopg connection is expected")
                with Leash(raw) as leash:
                    leash.until(deadline)
                    yield connection, raw, leash, deadline
        except (OperationalError, psycopg.OperationalError, PoolTimeout, TimeoutError) as error:
            if isinstance(error, OperationalError) and _exceeds_limit(error):
                raise  # it would at each try
            raise EngineUnavailable("the database did not answer") from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise EngineUnavailable("the database went away") from error
            raise

    async def close(self) -> None:
        await self.engine.dispose()


# Whatever the server's default is: a statement after a lock must see what came before the lock.
_BEGIN: Final = sql.Composed([sql.SQL("BEGIN ISOLATION LEVEL READ COMMITTED; ")])
_BEGIN_READING: Final = sql.Composed([sql.SQL("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; ")])
_AS_SERVICE: Final = sql.SQL(f"SET LOCAL ROLE {SERVICE_ROLE}")
_BEGIN_SERVICE: Final = _BEGIN + _AS_SERVICE


def _exceeds_limit(error: OperationalError) -> bool:
    """Whether a value is too large for PostgreSQL, which the driver tells like an outage."""
    return isinstance(error.orig, psycopg.errors.ProgramLimitExceeded)


def _drop_one(context: ExceptionContext) -> None:
    """One that broke says nothing of the others of the pool, which are asked before their use."""
    context.invalidate_pool_on_disconnect = False


def _ask_before_use(engine: AsyncEngine) -> None:
    """Ask a connection that has rested, or whose server has said something unasked, whether it
    still lives, and replace it if not.

    A server that ends says so to each of its connections. One that vanished does not; under load
    no connection rests, so there the first statement on each tells.
    """

    def on_checkin(_: object, record: ConnectionPoolEntry) -> None:
        record.info["rested_since"] = time.monotonic()

    def on_checkout(connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        rested_since = record.info.get("rested_since")
        if rested_since is None:
            return
        raw = connection.driver_connection
        if time.monotonic() - rested_since < _PING_AFTER_S and not _has_news(raw):
            return
        try:
            with Leash(raw) as leash:
                leash.within(_PING_TIMEOUT_S)
                engine.sync_engine.dialect.do_ping(connection)
        except engine.sync_engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error  # the pool then opens a fresh one

    event.listen(engine.sync_engine, "checkin", on_checkin)
    event.listen(engine.sync_engine, "checkout", on_checkout)


def _has_news(connection: object) -> bool:
    """Whether something has come that nobody has read: between two uses that is the end."""
    if not isinstance(connection, psycopg.AsyncConnection) or connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _dump(value: object) -> str:
    return orjson.dumps(value).decode()
