"""A client whose requests wait for each other, or come in bursts, delays no other client."""

import asyncio
from contextvars import Context

import sqlalchemy as sa

from domain.core.ids import TenantId
from store.core.client_turns import ClientTurns
from store.core.database import Database
from store.core.pools import WORK, of_a_client
from store.tenants.accounts import AccountRepository
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import Shop, open_shop


async def test_a_locked_account_leaves_connections(
    database_url: str, database: Database, shop: Shop
) -> None:
    """Earlier, a free account sent many concurrent requests: each waited for its row with a
    connection, and users of other shops could not sign in."""
    api, other = Database(database_url), await open_shop(database)

    async def lock() -> None:
        async with api.tenant(shop.tenant) as connection:
            await AccountRepository(connection, shop.tenant).lock()

    async def they_wait() -> bool:
        return api.use.in_use == of_a_client(WORK)

    async with database.tenant(shop.tenant) as connection:
        await AccountRepository(connection, shop.tenant).lock()
        crowd = [asyncio.ensure_future(lock()) for _ in range(2 * WORK)]
        await eventually(they_wait)
        async with api.reading(other.tenant) as answered, api.service() as service:
            assert await answered.scalar(sa.text("SELECT 1")) == 1
            assert await service.scalar(sa.text("SELECT 1")) == 1
        assert not any(one.done() for one in crowd)
    await asyncio.gather(*crowd)
    await api.close()


class _Crowd:
    """Tasks that each hold a slot until they are released, and the order in which they got it."""

    def __init__(self, turns: ClientTurns) -> None:
        self._turns = turns
        self._go: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.came: list[str] = []

    async def come(self, of: TenantId | None, *names: str) -> None:
        for name in names:
            self._go[name] = asyncio.Event()
            task = asyncio.create_task(self._hold(of, name), context=Context())
            self._tasks[name] = task
        await _all_ran()

    async def go(self, name: str) -> None:
        self._go[name].set()
        await _all_ran()

    async def give_up(self, name: str) -> None:
        self._tasks[name].cancel()
        await _all_ran()

    async def end(self) -> None:
        for go in self._go.values():
            go.set()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _hold(self, of: TenantId | None, name: str) -> None:
        async with self._turns.turn(of):
            self.came.append(name)
            await self._go[name].wait()


async def _all_ran() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


async def test_who_holds_the_fewest_is_next(database: Database, shop: Shop) -> None:
    """Before requests of a client with more slots, however long those have waited."""
    other = await open_shop(database)
    crowd = _Crowd(ClientTurns(3, 3))

    await crowd.come(shop.tenant, "a", "b", "c", "d", "e")
    await crowd.come(other.tenant, "x", "y")
    await crowd.come(None, "sign-in")
    for name in ("a", "b", "c", "x"):
        await crowd.go(name)

    assert crowd.came == ["a", "b", "c", "x", "sign-in", "d", "y"]
    await crowd.end()
    assert crowd.came[7:] == ["e"]


async def test_a_client_holds_no_more_than_its_share(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    crowd = _Crowd(ClientTurns(3, 2))

    await crowd.come(shop.tenant, "a", "b", "c", "d")
    assert crowd.came == ["a", "b"]
    await crowd.come(other.tenant, "x")
    await crowd.go("x")
    assert crowd.came == ["a", "b", "x"]
    await crowd.go("b")
    assert crowd.came == ["a", "b", "x", "c"]
    await crowd.end()


async def test_a_turn_that_is_given_up_is_free(shop: Shop) -> None:
    crowd = _Crowd(ClientTurns(1, 1))

    await crowd.come(shop.tenant, "a", "b", "c")
    await crowd.give_up("b")
    await crowd.give_up("a")
    assert crowd.came == ["a", "c"]
    await crowd.go("c")
    await crowd.come(shop.tenant, "d")
    assert crowd.came == ["a", "c", "d"]
    await crowd.end()


async def test_one_that_is_called_and_cancelled_at_once_loses_no_place(shop: Shop) -> None:
    crowd = _Crowd(turns := ClientTurns(1, 1))

    async with turns.turn(shop.tenant):
        await crowd.come(shop.tenant, "a")
    # Called after the block, and not yet run.
    await crowd.give_up("a")
    await crowd.come(shop.tenant, "b")
    assert crowd.came == ["b"]
    await crowd.end()


async def test_who_holds_a_turn_needs_no_second(shop: Shop) -> None:
    crowd = _Crowd(turns := ClientTurns(1, 1))

    async with turns.turn(shop.tenant):
        async with turns.turn(shop.tenant):
            await crowd.come(shop.tenant, "a")
        assert crowd.came == []
    await crowd.end()
    assert crowd.came == ["a"]
