"""A failing database: a broken connection affects no other caller, and no retry storm follows."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.errors import EngineUnavailable
from store.core.database import PATIENCE_S, Database
from store.core.pools import of_a_client
from tests.support.core.postgres import as_owner
from tests.support.core.waiting import eventually
from tests.support.servers.proxy import mutable_proxy
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

POOL = 10


async def _pid(connection: AsyncConnection) -> int:
    return int(await connection.scalar(sa.text("SELECT pg_backend_pid()")))


async def _pids(database: Database, number: int = POOL) -> list[int]:
    """Return the backends of the whole pool; each of its connections is open afterwards."""
    all_held = asyncio.Barrier(number)

    async def hold() -> int:
        # From the pool itself: neither a client nor a service can hold all of it.
        async with database.engine.connect() as connection:
            pid = await _pid(connection)
            await all_held.wait()
            return pid

    return sorted(await asyncio.gather(*(hold() for _ in range(number))))


async def _end(database_url: str, pids: list[int]) -> None:
    """Terminate backends, and wait until they are gone."""
    async with await psycopg.AsyncConnection.connect(
        as_owner(database_url), autocommit=True
    ) as owner:
        await owner.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) pid", [pids])

        async def gone() -> bool:
            query = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)"
            row = await (await owner.execute(query, [pids])).fetchone()
            return row == (0,)

        await eventually(gone)


async def test_no_request_meets_a_restart_that_is_over(
    database: Database, database_url: str
) -> None:
    await _end(database_url, await _pids(database))

    for _ in range(POOL + 2):
        async with database.service() as connection:
            await _pid(connection)


async def test_one_backend_that_dies_costs_its_own_connection_alone(
    database: Database, database_url: str
) -> None:
    before, victims = await _pids(database), list[int]()

    async def meet_it() -> None:
        """Run a statement within a transaction; return its error."""
        async with database.service() as connection:
            victims.append(await _pid(connection))
            await _end(database_url, victims)
            await connection.execute(sa.text("SELECT 1"))

    with pytest.raises(EngineUnavailable):
        await meet_it()

    after = await _pids(database)
    assert len(set(after) & set(before)) == POOL - 1
    assert not set(victims) & set(after)


@asynccontextmanager
async def _only_connection_held(database: Database) -> AsyncIterator[asyncio.Event]:
    """Hold the only connection of a pool. Setting the event returns it."""
    held, go = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with database.service():
            held.set()
            await go.wait()

    holder = asyncio.ensure_future(hold())
    await held.wait()
    try:
        yield go
    finally:
        go.set()
        await holder


@pytest.fixture
async def narrow(database_url: str) -> AsyncIterator[Database]:
    database = Database(database_url, pool_size=1)
    yield database
    await database.close()


async def test_a_late_waiter_gives_up_before_its_time_ends(narrow: Database, shop: Shop) -> None:
    """A connection would be useless, because its statement would be interrupted."""
    before = await _pids(narrow, 1)
    async with _only_connection_held(narrow):
        began = time.monotonic()
        with pytest.raises(EngineUnavailable):
            async with narrow.tenant(shop.tenant, patience_s=2):
                pass
        assert time.monotonic() - began < 2

    assert await _pids(narrow, 1) == before


async def test_postgresql_ends_a_statement_of_somebody_late_and_the_connection_lives(
    narrow: Database, shop: Shop
) -> None:
    before = await _pids(narrow, 1)
    began = time.monotonic()
    with pytest.raises(EngineUnavailable):
        async with narrow.tenant(shop.tenant, patience_s=0.6) as connection:
            await connection.execute(sa.text("SELECT pg_sleep(10)"))
    assert time.monotonic() - began < PATIENCE_S

    assert await _pids(narrow, 1) == before
    async with narrow.service() as connection:
        assert await connection.scalar(sa.text("SHOW statement_timeout")) == "3s"


async def test_waiters_that_are_cancelled_leave_the_connection(
    narrow: Database, shop: Shop
) -> None:
    """Callers that disconnect while they wait, some exactly when a connection becomes free."""
    before = await _pids(narrow, 1)

    async def wait() -> None:
        async with narrow.tenant(shop.tenant) as connection:
            await connection.execute(sa.text("SELECT 1"))

    async with _only_connection_held(narrow) as go:
        waiters = [asyncio.ensure_future(wait()) for _ in range(20)]
        await asyncio.sleep(0)
        for waiter in waiters[::3]:
            waiter.cancel()
        go.set()
        await asyncio.sleep(0)
        for waiter in waiters[1::3]:
            waiter.cancel()
        ended = await asyncio.gather(*waiters, return_exceptions=True)

    assert ended[2::3] == [None] * len(ended[2::3])
    assert (await _pids(narrow, 1), narrow.engine.pool.status()) == (before, _IDLE)


_IDLE = (
    "Pool size: 1  Connections in pool: 1 Current Overflow: 0 Current Checked out connections: 0"
)

# One round trip through the proxy: a transaction with three takes almost a second.
_SLOW_S = 0.15
_CALLS_A_SECOND = 20
# Several times the timeout.
_SLOW_FOR_S = 30


class _Calls:
    """Callers at a constant rate, whatever happens to earlier ones."""

    def __init__(self, database: Database, shop: Shop) -> None:
        self._database = database
        self._shop = shop
        self.served: list[float] = []
        self.refused: list[float] = []

    async def come_for(self, seconds: float) -> None:
        """Run all callers in this period, until the last one has a response."""
        loop = asyncio.get_running_loop()
        begin = loop.time()
        calls = []
        for number in range(int(seconds * _CALLS_A_SECOND)):
            await asyncio.sleep(begin + number / _CALLS_A_SECOND - loop.time())
            calls.append(asyncio.ensure_future(self._call()))
        await asyncio.gather(*calls)

    async def _call(self) -> None:
        began = time.monotonic()
        try:
            async with self._database.tenant(self._shop.tenant) as connection:
                await connection.execute(sa.text("SELECT 1"))
        except EngineUnavailable:
            self.refused.append(time.monotonic() - began)
        else:
            self.served.append(time.monotonic() - began)


@pytest.mark.alone
@pytest.mark.slow
async def test_a_database_that_is_slow_for_half_a_minute(database_url: str, shop: Shop) -> None:
    """Callers arrive at twice its capacity: it continues to serve that capacity, nobody waits
    beyond the timeout, no connection breaks, and it recovers at once."""
    async with mutable_proxy(database_url) as proxy:
        database = Database(proxy.url, pool_size=POOL)
        await _pids(database)
        opened = proxy.opened

        proxy.delay_s = _SLOW_S
        slow = _Calls(database, shop)
        await slow.come_for(_SLOW_FOR_S)
        proxy.delay_s = 0

        assert max(slow.served + slow.refused) < PATIENCE_S + 0.5
        # A client's seven of ten connections at 0.9 s each: 8 calls a second.
        assert len(slow.served) > 0.8 * _SLOW_FOR_S * of_a_client(POOL) / (6 * _SLOW_S)
        assert (proxy.opened - opened, proxy.most) == (0, POOL), "no storm of connections"

        quick = _Calls(database, shop)
        await quick.come_for(2)
        assert (quick.refused, max(quick.served) < 1) == ([], True)
        await database.close()
