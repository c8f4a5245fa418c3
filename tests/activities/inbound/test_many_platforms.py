"""Polling of many platforms: slow platforms delay each other, but no other platform."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.inbound import poll as polling
from activities.inbound.poll import PollIntegrations
from adapters.system import utc_now
from domain.core.errors import EngineUnavailable
from domain.inbound.contracts import ProcessWebhookInput
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.polling import SETTLES, ChangesPage, PollInput, PollResult
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from store.core.database import Database
from store.inbound.poll_cursors import PollCursorRepository
from store.inbound.tables import poll_cursors
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.inbound.stored import listen_to
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

NOTHING = ChangesPage((), {}, has_more=False)
Answer = Callable[[], Awaitable[ChangesPage]]


class Platforms:
    """Connectors that respond as each connection's `answers` says, and record which connection was
    polled."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.answered: list[str] = []
        self.open: Counter[str] = Counter()
        self.most_open = 0
        self.beside: defaultdict[str, set[str]] = defaultdict(set)

    def poller(self, integration: Integration) -> "Asked":
        return Asked(self, integration.id)

    async def process_webhook(self, webhook: ProcessWebhookInput, *, wake: bool = False) -> bool:
        raise AssertionError(f"{webhook} {wake}: no platform had a change")


class Asked:
    def __init__(self, platforms: Platforms, here: str) -> None:
        self._platforms = platforms
        self._here = here

    async def changes(
        self,
        position: Mapping[str, str],  # noqa: ARG002 - the port's
        since: datetime,  # noqa: ARG002 - the port's
    ) -> ChangesPage:
        all_, here = self._platforms, self._here
        all_.asked.append(here)
        all_.open[here] += 1
        all_.most_open = max(all_.most_open, all_.open.total())
        for other in (one for one, count in all_.open.items() if count):
            all_.beside[here].add(other)
            all_.beside[other].add(here)
        try:
            page = await all_.answers[here]() if here in all_.answers else NOTHING
        finally:
            all_.open[here] -= 1
        all_.answered.append(here)
        return page


class Tries:
    """The attempts of one activity. Each starts with the last heartbeat of the previous attempt."""

    def __init__(self, database: Database, platforms: Platforms, patience_s: float = 60) -> None:
        self.left: tuple[object, ...] = ()
        self._polls = PollIntegrations(
            units_on(database),
            platforms,
            platforms,
            lambda: utc_now() + SETTLES,
            platforms=PLATFORMS,
            patience_s=patience_s,
        )
        self.environment = ActivityEnvironment()

    async def run(self) -> PollResult:
        self.environment = environment = ActivityEnvironment()
        given = {**environment.info.__dict__, "heartbeat_details": self.left}
        environment.info = environment.info.__class__(**given)
        environment.on_heartbeat = self._keep
        return await environment.run(self._polls.poll, PollInput())

    def _keep(self, *details: object) -> None:
        self.left = details


async def connect(database: Database, shop: Shop, provider: Provider = Provider.SHOPIFY) -> str:
    async with database.tenant(shop.tenant) as connection:
        return await listen_to(connection, shop.tenant, provider)


async def connected(database: Database, count: int) -> list[tuple[Shop, str]]:
    """Return new clients with one connection each, in polling order."""
    shops = [await open_shop(database) for _ in range(count)]
    made = [(shop, await connect(database, shop)) for shop in shops]
    return sorted(made, key=lambda one: one[0].client_id)


async def never() -> ChangesPage:
    await asyncio.Event().wait()
    raise AssertionError


async def test_slow_platforms_of_many_clients_hold_up_no_other(database: Database) -> None:
    """Sixteen slow platforms, twice the concurrency limit, respond only after the fast one."""
    *hostile, (shop, honest) = await connected(database, 17)
    for other, here in hostile:
        async with database.tenant(other.tenant) as connection:
            cursors = PollCursorRepository(connection, other.tenant)
            await cursors.fail(here, "too_slow", utc_now() - timedelta(days=1))
    async with database.tenant(shop.tenant) as connection:
        await PollCursorRepository(connection, shop.tenant).advance(honest, {}, utc_now())
    platforms, was_asked = Platforms(), asyncio.Event()

    async def once_it_was_asked() -> ChangesPage:
        await was_asked.wait()
        return NOTHING

    async def ask() -> ChangesPage:
        was_asked.set()
        return NOTHING

    platforms.answers = dict.fromkeys((here for _, here in hostile), once_it_was_asked)
    platforms.answers[honest] = ask
    async with asyncio.timeout(20):
        assert await Tries(database, platforms).run() == PollResult(polled=17)
    assert platforms.asked.index(honest) < 8


async def test_eight_connections_are_asked_at_once(database: Database) -> None:
    """Each platform responds once eight have been polled."""
    connections = [here for _, here in await connected(database, 10)]
    platforms, eight = Platforms(), asyncio.Event()

    async def with_seven_others() -> ChangesPage:
        if platforms.open.total() == 8:
            eight.set()
        await eight.wait()
        return NOTHING

    platforms.answers = dict.fromkeys(connections, with_seven_others)
    async with asyncio.timeout(20):
        assert await Tries(database, platforms).run() == PollResult(polled=10)
    assert platforms.most_open == 8


async def test_the_connections_of_one_client_are_asked_one_after_the_other(
    database: Database, shop: Shop
) -> None:
    mine = {
        await connect(database, shop, one)
        for one in (Provider.SHOPIFY, Provider.WOOCOMMERCE, Provider.PRESTASHOP)
    }
    [(_, other)] = await connected(database, 1)
    platforms, both = Platforms(), asyncio.Barrier(2)

    async def with_the_other() -> ChangesPage:
        if len(platforms.answered) == 0:
            await both.wait()
        return NOTHING

    platforms.answers = dict.fromkeys((*mine, other), with_the_other)
    async with asyncio.timeout(20):
        assert await Tries(database, platforms).run() == PollResult(polled=4)
    assert all(platforms.beside[here] & mine == {here} for here in mine)
    assert platforms.beside[other] & mine, "another client's is asked meanwhile"


async def test_a_used_up_budget_keeps_its_pages_and_is_asked_less_often(
    database: Database, shop: Shop
) -> None:
    here = await connect(database, shop)
    platforms = Platforms()

    async def a_page_and_then_none() -> ChangesPage:
        if len(platforms.asked) == 1:
            return ChangesPage((), {"page": "1"}, has_more=True)
        return await never()

    platforms.answers[here] = a_page_and_then_none
    tries = Tries(database, platforms, patience_s=1)
    assert await tries.run() == PollResult(polled=1, failed=1)
    cursor = await only_row(database, poll_cursors, integration_id=here)
    assert cursor["position"] == {"page": "1"}
    assert (cursor["error_code"], cursor["failures"]) == ("too_slow", 1)


async def test_a_killed_poll_goes_on_without_skipping_any(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third of four platforms hangs while the fourth responds. Then the worker stops."""
    monkeypatch.setattr(polling, "_CONNECTIONS", 2)
    (_, first), (before, second), (_, third), (_, fourth) = await connected(database, 4)
    platforms, fourth_done = Platforms(), asyncio.Event()

    async def two_pages() -> ChangesPage:
        if platforms.asked.count(fourth) == 2:
            fourth_done.set()
        return ChangesPage((), {}, has_more=platforms.asked.count(fourth) == 1)

    platforms.answers = {third: never, fourth: two_pages}
    tries = Tries(database, platforms)
    async with asyncio.timeout(20):
        run = asyncio.create_task(tries.run())
        await fourth_done.wait()
        tries.environment.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    assert platforms.open.total() == 0, "no connection is asked after the activity has ended"
    assert tries.left == (before.client_id, second, 2, 0, 0)

    platforms.answers, platforms.asked = {}, []
    assert await tries.run() == PollResult(polled=4)
    assert sorted(platforms.asked) == sorted([third, fourth])
    assert first not in platforms.asked


async def test_a_database_that_is_away_fails_the_try_and_no_connection(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, one), (_, other) = await connected(database, 2)
    platforms = Platforms()

    async def away() -> ChangesPage:
        raise EngineUnavailable("PostgreSQL did not answer")

    async def ping(_: Database) -> None:
        await away()

    monkeypatch.setattr(Database, "ping", ping)
    platforms.answers = {one: away, other: never}
    async with asyncio.timeout(20):
        with pytest.raises(EngineUnavailable):
            await Tries(database, platforms).run()
    assert platforms.open.total() == 0
    assert await rows(database, poll_cursors) == []
