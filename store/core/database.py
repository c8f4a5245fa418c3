"""The database: one engine per process. This module opens all transactions."""

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
from store.core.client_turns import ClientTurns, SharedWork
from store.core.pool_use import PoolUse
from store.core.pools import WORK, of_a_client
from store.core.snapshot import Snapshot
from store.core.snapshot import begin as begin_snapshot
from store.core.socket_deadline import SocketDeadline

APP_ROLE: Final = "engine_app"
SERVICE_ROLE: Final = "engine_service"

# If the database is unavailable, a caller must get an error within 5 s, so each of these timeouts
# is shorter. A server that does not respond cannot enforce its own timeouts, so the client enforces
# these timeouts itself.
PATIENCE_S: Final = 3.5
# The part of the timeout that is reserved for statements. A longer wait for a connection could let
# the deadline pass during a statement, and lose the connection.
_FOR_STATEMENTS_S: Final = 1.5
_CONNECT_TIMEOUT_S: Final = 2
_PING_AFTER_S: Final = 1.0
_PING_TIMEOUT_S: Final = 1.0
_LOCK_TIMEOUT: Final = "2s"
_STATEMENT_TIMEOUT_S: Final = 3.0
# The time before the caller's deadline at which PostgreSQL cancels a statement. The connection can
# then be reused.
_ENDS_BEFORE_S: Final = 0.2
_SNAPSHOT_PATIENCE_S: Final = 30

PLANS_KEPT_S: Final = 2.0
"""The time after which a connection discards its kept plans, in seconds (decision 0109)."""

WhoseRecord = Callable[[AsyncConnection, str], Awaitable[TenantId]]
"""A function that returns the client that owns a record, given the record's id. Only operators and
signed-in users use such functions."""


def psycopg_url(url: str) -> sa.URL:
    """Return the URL with SQLAlchemy's psycopg dialect. Raises sa.exc.ArgumentError."""
    return sa.make_url(url).set(drivername="postgresql+psycopg")


class Database:
    """The connection pool from which every repository gets its connection.

    Connections run as `engine_app`, regardless of the login role. Row-level security shows only the
    rows of the transaction's client (`migrations/tenancy.py`).
    """

    def __init__(self, url: str, *, pool_size: int = WORK) -> None:
        self.engine: AsyncEngine = create_async_engine(
            psycopg_url(url),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=PATIENCE_S,
            # LIFO order selects the most recently used connection, which rarely needs a liveness
            # check.
            pool_use_lifo=True,
            # SQLAlchemy opens no transactions. The methods below open each transaction and set its
            # client in one round trip.
            isolation_level="AUTOCOMMIT",
            # Error messages omit statement parameters because errors are logged and parameters
            # contain customer data.
            hide_parameters=True,
            json_serializer=_dump,
            json_deserializer=orjson.loads,
            connect_args={
                "connect_timeout": _CONNECT_TIMEOUT_S,
                "options": f"-c role={APP_ROLE} "
                f"-c lock_timeout={_LOCK_TIMEOUT} -c statement_timeout={_STATEMENT_TIMEOUT_S:.0f}s "
                # By default, plans are not kept. A plan that was made while the tables were almost
                # empty would be slow after they have grown (decision 0045).
                "-c plan_cache_mode=force_custom_plan "
                # PostgreSQL cancels a running statement if the client disconnects.
                "-c idle_in_transaction_session_timeout=30s -c client_connection_check_interval=1s "
                "-c timezone=UTC",
            },
        )
        self.use = PoolUse(self.engine)
        self._turns = ClientTurns(pool_size, of_a_client(pool_size))
        _ask_before_use(self.engine)
        event.listen(self.engine.sync_engine, "handle_error", _drop_one)

    def tenant(
        self, tenant: TenantId, *, patience_s: float = PATIENCE_S, keeps_plans: bool = False
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open a transaction that can read and write only one client's rows. It commits when the
        block ends, and rolls back after an error.

        It takes at most `patience_s` seconds, with the wait for a connection. Connections are
        shared fairly among clients (`client_turns.py`). If `keeps_plans` is true, PostgreSQL may
        reuse plans for up to `PLANS_KEPT_S`. Use this only for the short statements of each event,
        whose cost is mainly planning.

        Raises EngineUnavailable if PostgreSQL cannot be reached or does not respond, and
        CommitUnknown during the commit.
        """
        whose = sql.SQL("SET LOCAL app.client_id = {}").format(sql.Literal(tenant))
        return self._transaction(_BEGIN + whose, patience_s, of=tenant, keeps_plans=keeps_plans)

    def service(
        self, *, patience_s: float = PATIENCE_S
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open a transaction that spans clients, for sign-in, operators, sweepers and schedules. It
        commits, rolls back, times out and raises errors like `tenant`."""
        return self._transaction(_BEGIN_SERVICE, patience_s)

    def reading(
        self,
        tenant: TenantId,
        *,
        as_part_of: SharedWork | None = None,
        keeps_plans: bool = False,
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open a read-only transaction like `tenant`. `as_part_of` is the SharedWork that holds the
        connection slot instead of the client."""
        whose = sql.SQL("SET LOCAL app.client_id = {}").format(sql.Literal(tenant))
        return self._transaction(
            _BEGIN_READING + whose, PATIENCE_S, of=as_part_of or tenant, keeps_plans=keeps_plans
        )

    def reading_across(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open a read-only transaction like `service`. PostgreSQL rejects all writes."""
        return self._transaction(_BEGIN_READING + _AS_SERVICE, PATIENCE_S)

    async def find_client(self, whose: WhoseRecord, record_id: str) -> TenantId:
        """Return the client that owns a record. If there is no such record, raise the error that
        `whose` raises."""
        async with self.reading_across() as connection:
            return await whose(connection, record_id)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection without a transaction or a client. Row-level security hides all rows,
        so only database functions that ignore the client return data."""
        async with self._connection(PATIENCE_S) as (connection, _, _, _):
            yield connection

    @asynccontextmanager
    async def snapshot(
        self, tenant: TenantId, *, patience_s: float = _SNAPSHOT_PATIENCE_S
    ) -> AsyncIterator[Snapshot]:
        """Open a snapshot of a client's rows that stays readable until the block ends.

        It holds a connection, so callers use a separate pool. `patience_s` is the timeout for each
        response from PostgreSQL. Raises EngineUnavailable as `tenant` does.
        """
        async with self._connection(PATIENCE_S, of=tenant) as (connection, raw, socket_deadline, _):
            try:
                await raw.execute(begin_snapshot(tenant), prepare=False)
            except psycopg.OperationalError:
                await connection.invalidate()
                raise
            try:
                socket_deadline.loosen()
                yield Snapshot(raw, socket_deadline, tenant, patience_s=patience_s)
            finally:
                socket_deadline.within(PATIENCE_S)
                with suppress(
                    psycopg.OperationalError
                ):  # If the rollback of a read-only transaction fails, no data is lost.
                    await raw.rollback()

    async def ping(self) -> None:
        """Check that PostgreSQL responds. Raises EngineUnavailable."""
        async with self.unscoped() as connection:
            await connection.exec_driver_sql("SELECT 1")

    @asynccontextmanager
    async def _transaction(
        self,
        begin: sql.Composed,
        patience_s: float,
        *,
        of: TenantId | SharedWork | None = None,
        keeps_plans: bool = False,
    ) -> AsyncIterator[AsyncConnection]:
        async with self._connection(patience_s, of=of) as (connection, raw, _, deadline):
            if keeps_plans:
                begin = _keeping_plans(connection, begin)
            left = deadline - asyncio.get_running_loop().time() - _ENDS_BEFORE_S
            if left < _STATEMENT_TIMEOUT_S:
                begin += sql.SQL(f"; SET LOCAL statement_timeout = {max(1, int(left * 1000))}")
            try:
                # PostgreSQL cannot prepare a string that contains several statements.
                await raw.execute(begin, prepare=False)
            except psycopg.OperationalError:
                await connection.invalidate()
                raise
            yield connection
            if raw.info.transaction_status is not TransactionStatus.INTRANS:
                # PostgreSQL answers the COMMIT of a failed transaction with a rollback and no
                # error, so the caller would think that the data was stored.
                raise RuntimeError("a statement of this transaction failed: it cannot be committed")
            try:
                await raw.commit()
            except psycopg.OperationalError as error:
                await connection.invalidate()
                raise CommitUnknown("the database went away while it committed") from error

    @asynccontextmanager
    async def _connection(
        self, patience_s: float, *, of: TenantId | SharedWork | None = None
    ) -> AsyncIterator[
        tuple[AsyncConnection, "psycopg.AsyncConnection[object]", SocketDeadline, float]
    ]:
        """Yield a pool connection with its driver connection, socket deadline and the deadline's
        time on the event loop's clock. The socket is shut down at the deadline. `of` is the client
        or SharedWork that holds the slot."""
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
                with SocketDeadline(raw) as socket_deadline:
                    socket_deadline.until(deadline)
                    yield connection, raw, socket_deadline, deadline
        except (OperationalError, psycopg.OperationalError, PoolTimeout, TimeoutError) as error:
            if isinstance(error, OperationalError) and _exceeds_limit(error):
                raise  # Retrying the statement would also fail.
            raise EngineUnavailable("the database did not answer") from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise EngineUnavailable("the database went away") from error
            raise

    async def close(self) -> None:
        await self.engine.dispose()


# The isolation level is set explicitly, regardless of the server's default. A statement that runs
# after a lock is acquired must see all earlier commits.
_BEGIN: Final = sql.Composed([sql.SQL("BEGIN ISOLATION LEVEL READ COMMITTED; ")])
_BEGIN_READING: Final = sql.Composed([sql.SQL("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; ")])
_AS_SERVICE: Final = sql.SQL(f"SET LOCAL ROLE {SERVICE_ROLE}")
_BEGIN_SERVICE: Final = _BEGIN + _AS_SERVICE


def _keeping_plans(connection: AsyncConnection, begin: sql.Composed) -> sql.Composed:
    """Return the start of a transaction that may use the connection's kept plans. Plans that are
    too old are discarded first."""
    info, now = connection.info, time.monotonic()
    begin += sql.SQL("; SET LOCAL plan_cache_mode = auto")
    if "plans_since" in info and now - info["plans_since"] < PLANS_KEPT_S:
        return begin
    info["plans_since"] = now
    return sql.SQL("DISCARD PLANS; ") + begin


def _exceeds_limit(error: OperationalError) -> bool:
    """Return True if the error means that a value exceeds one of PostgreSQL's limits. The driver
    reports such an error as if the connection had failed."""
    return isinstance(error.orig, psycopg.errors.ProgramLimitExceeded)


def _drop_one(context: ExceptionContext) -> None:
    """Invalidate only the broken connection. The pool's other connections are checked before their
    next use."""
    context.invalidate_pool_on_disconnect = False


def _ask_before_use(engine: AsyncEngine) -> None:
    """Check a connection that was idle or has unread data before its use, and replace it if it is
    dead.

    A server that shuts down notifies its connections, but a crashed one does not. Under load no
    connection is idle, so the first statement on each fails after a crash.
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
            with SocketDeadline(raw) as socket_deadline:
                socket_deadline.within(_PING_TIMEOUT_S)
                engine.sync_engine.dialect.do_ping(connection)
        except engine.sync_engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error  # The pool then opens a new connection.

    event.listen(engine.sync_engine, "checkin", on_checkin)
    event.listen(engine.sync_engine, "checkout", on_checkout)


def _has_news(connection: object) -> bool:
    """Return True if a connection is closed or has unread data. Between two uses, unread data means
    that the server closed the connection."""
    if not isinstance(connection, psycopg.AsyncConnection) or connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _dump(value: object) -> str:
    return orjson.dumps(value).decode()
