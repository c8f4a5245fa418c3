"""The rate limiters in memory and in PostgreSQL: they agree with a naive model and each other."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.http.rate_limiter import RateLimiter, build_limiter
from domain.core.errors import EngineUnavailable
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import Limit, LimitScope, limits
from services.intake.request_counter import MemoryCounter, PostgresCounter
from store.core.database import Database
from store.intake.rate_windows import RateWindowRepository
from store.intake.tables import rate_windows
from tests.support.core.engine import database_away, settings_of
from tests.support.core.rows import only_row, rows

pytestmark = pytest.mark.own_database

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
TABLE = limits(dry_runs=60)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.fixture
async def other_process(database_url: str) -> AsyncIterator[Database]:
    other = Database(database_url)
    yield other
    await other.close()


async def passes(limiter: RateLimiter, scope: LimitScope, key: str, now: datetime) -> bool:
    try:
        await limiter.check(scope, key, now)
    except TooManyRequests:
        return False
    return True


class Naive:
    """A naive model that keeps every accepted request."""

    def __init__(self, table: Mapping[LimitScope, Limit]) -> None:
        self._table = table
        self._passed: list[tuple[LimitScope, str, datetime]] = []

    def passes(self, scope: LimitScope, key: str, now: datetime) -> bool:
        limit = self._table[scope]
        counted = [
            then
            for whose, who, then in self._passed
            if (whose, who) == (scope, key) and now - then < limit.window
        ]
        if len(counted) >= limit.quota:
            return False
        self._passed.append((scope, key, now))
        return True


SMALL = {
    LimitScope.EXPORT: Limit(LimitScope.EXPORT, 2, timedelta(seconds=10)),
    LimitScope.SIGNUP: Limit(LimitScope.SIGNUP, 3, timedelta(seconds=25)),
}
REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 6000).map(lambda milliseconds: timedelta(milliseconds=milliseconds)),
        st.sampled_from(sorted(SMALL)),
        st.sampled_from("abc"),
    ),
    max_size=30,
)


@given(requests=REQUESTS)
async def test_memory_agrees_with_the_naive_model(
    requests: list[tuple[timedelta, LimitScope, str]],
) -> None:
    naive, limiter, now = Naive(SMALL), RateLimiter(SMALL, MemoryCounter()), START
    for pause, scope, key in requests:
        now += pause
        assert await passes(limiter, scope, key, now) == naive.passes(scope, key, now)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests=REQUESTS)
async def test_postgres_agrees_with_memory(
    database: Database, requests: list[tuple[timedelta, LimitScope, str]]
) -> None:
    async with database.service() as connection:
        await connection.execute(sa.delete(rate_windows))
    shared, alone, now = PostgresCounter(database), MemoryCounter(), START
    for pause, scope, key in requests:
        now += pause
        kept = await asyncio.gather(
            shared.count(SMALL[scope], key, now), alone.count(SMALL[scope], key, now)
        )
        assert kept[0] == kept[1]


async def test_sixty_at_once_in_two_processes(database: Database, other_process: Database) -> None:
    processes = [RateLimiter(TABLE, PostgresCounter(each)) for each in (database, other_process)]

    outcomes = await asyncio.gather(
        *(passes(processes[n % 2], LimitScope.SIMULATOR, "key:1", at(0)) for n in range(60))
    )

    assert sum(outcomes) == 20
    kept = await only_row(database, rate_windows, scope="simulator", key="key:1")
    assert kept["hits"] == [at(0)] * 20


async def test_refusal_says_when(database: Database) -> None:
    limiter = RateLimiter(TABLE, PostgresCounter(database))
    for second in range(5):
        await limiter.check(LimitScope.EXPORT, "key:1", at(second))

    with pytest.raises(TooManyRequests) as refused:
        await limiter.check(LimitScope.EXPORT, "key:1", at(20.5))

    assert refused.value.limit == TABLE[LimitScope.EXPORT]
    assert refused.value.retry_after_s == 39.5
    assert await passes(limiter, LimitScope.EXPORT, "key:1", at(60))


async def test_refused_caller_asks_postgres_no_more(database: Database) -> None:
    limiter = RateLimiter(TABLE, PostgresCounter(database))
    for second in range(5):
        await limiter.check(LimitScope.EXPORT, "key:1", at(second))
    assert not await passes(limiter, LimitScope.EXPORT, "key:1", at(10))

    with database_away(database):
        with pytest.raises(TooManyRequests) as refused:
            await limiter.check(LimitScope.EXPORT, "key:1", at(59.5))
        for scope, key, now in (
            (LimitScope.EXPORT, "key:2", at(59.5)),
            (LimitScope.USAGE, "key:1", at(59.5)),
            (LimitScope.EXPORT, "key:1", at(60)),
        ):
            with pytest.raises(EngineUnavailable):
                await limiter.check(scope, key, now)
    assert refused.value.retry_after_s == 0.5
    assert [await passes(limiter, LimitScope.EXPORT, "key:1", at(60)) for _ in "12"] == [
        True,
        False,
    ]


async def test_flood_of_one_key_reaches_postgres_once_more_than_its_limit(
    database: Database,
) -> None:
    limiter, taken = RateLimiter(TABLE, PostgresCounter(database)), []
    sa.event.listen(database.engine.sync_engine, "checkout", lambda *_: taken.append(1))

    outcomes = await asyncio.gather(
        *(passes(limiter, LimitScope.SIMULATOR, "key:1", at(0)) for _ in range(200))
    )

    assert sum(outcomes) == 20
    assert len(taken) == 21


async def test_refused_callers_kept_in_memory_are_bounded(database: Database) -> None:
    table = {LimitScope.SIGNUP: Limit(LimitScope.SIGNUP, 1)}
    counter = PostgresCounter(database, max_refused=2)
    limiter = RateLimiter(table, counter)
    for key in "abc":
        assert [await passes(limiter, LimitScope.SIGNUP, key, at(0)) for _ in "12"] == [True, False]

    assert [key for _, key in counter._refused] == ["b", "c"]
    assert not await passes(limiter, LimitScope.SIGNUP, "a", at(1)), "PostgreSQL knows it still"


async def test_late_request_of_a_slow_clock_keeps_the_window(database: Database) -> None:
    limiter = RateLimiter(TABLE, PostgresCounter(database))
    await limiter.check(LimitScope.EXPORT, "key:1", at(10))
    await limiter.check(LimitScope.EXPORT, "key:1", at(0))

    assert (await only_row(database, rate_windows))["lapses_at"] == at(70)


async def test_lapsed_windows_are_purged_now_and_then(database: Database) -> None:
    limiter = RateLimiter(TABLE, PostgresCounter(database))
    for number in range(3):
        await limiter.check(LimitScope.SIGNUP, f"ip:{number}", at(0))
    await limiter.check(LimitScope.SIGNUP, "ip:late", at(50))
    for number in range(252):
        await limiter.check(LimitScope.SIGNUP, f"ip:{number % 100}", at(100 + number * 3600))

    left = {row["key"] for row in await rows(database, rate_windows)}
    assert left == {"ip:51"}


async def test_purge_leaves_what_is_live_or_at_work(
    database: Database, other_process: Database
) -> None:
    limiter = RateLimiter(TABLE, PostgresCounter(database))
    for key, second in (("lapsed", 0), ("at work", 0), ("live", 1)):
        await limiter.check(LimitScope.SIGNUP, key, at(second))

    async with other_process.service() as other:
        await RateWindowRepository(other).hit(TABLE[LimitScope.SIGNUP], "at work", at(60))
        async with database.service() as connection:
            assert await RateWindowRepository(connection).purge(at(60)) == 1

    assert {row["key"] for row in await rows(database, rate_windows)} == {"at work", "live"}


async def test_memory_forgets_what_has_lapsed() -> None:
    counter = MemoryCounter()
    limiter = RateLimiter(TABLE, counter)
    for number in range(1000):
        await limiter.check(LimitScope.SIGNUP, f"ip:{number}", at(number))

    assert len(counter._hits[LimitScope.SIGNUP]) == 60


async def test_busy_caller_keeps_no_other_in_memory() -> None:
    counter = MemoryCounter()
    limiter = RateLimiter(TABLE, counter)
    for key, second in (("busy", 0), ("gone", 1), ("busy", 50), ("new", 61)):
        await limiter.check(LimitScope.SIGNUP, key, at(second))

    assert set(counter._hits[LimitScope.SIGNUP]) == {"busy", "new"}


async def test_a_flood_of_keys_is_bounded_and_refuses_nobody_else() -> None:
    """One IPv6 network has more addresses than the limiter stores. Earlier, such a flood locked out
    every shop."""
    counter = MemoryCounter(max_keys=100)
    limiter = RateLimiter(TABLE, counter)

    flood = [await passes(limiter, LimitScope.SIGNUP, f"ip:{n}", at(1)) for n in range(1000)]

    assert all(flood)
    assert len(counter._hits[LimitScope.SIGNUP]) == 100
    assert await passes(limiter, LimitScope.SIGNUP, "ip:new", at(2)), "a newcomer"
    for _ in range(4):
        await limiter.check(LimitScope.SIGNUP, "ip:new", at(2))
    assert not await passes(limiter, LimitScope.SIGNUP, "ip:new", at(3)), "whose limit holds"


async def test_setting_chooses(database: Database, database_url: str) -> None:
    chosen = {
        kind: build_limiter(
            settings_of(database_url, "c:1", rate_limits=kind, dry_run_limit=1).limits, database
        )
        for kind in ("memory", "postgres")
    }

    assert isinstance(chosen["memory"].counter, MemoryCounter)
    assert isinstance(chosen["postgres"].counter, PostgresCounter)
    for limiter in chosen.values():
        assert await passes(limiter, LimitScope.DRY_RUN, "key:1", at(0))
        assert not await passes(limiter, LimitScope.DRY_RUN, "key:1", at(1))
