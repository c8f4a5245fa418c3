"""A client whose requests wait for one another leaves connections to all others."""

import asyncio
import contextvars

import sqlalchemy as sa

from store.core.client_turns import ClientTurns
from store.core.database import Database
from store.core.pools import OF_A_CLIENT, WORK
from store.tenants.accounts import AccountRepository
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import Shop, open_shop


async def test_a_locked_account_holds_few_connections(
    database_url: str, database: Database, shop: Shop
) -> None:
    """A free account sent itself many requests at once: each waited for its row with a connection,
    and people of other shops could not sign in."""
    api, other = Database(database_url), await open_shop(database)

    async def lock() -> None:
        async with api.tenant(shop.tenant) as connection:
            await AccountRepository(connection, shop.tenant).lock()

    async def they_wait() -> bool:
        return api.use.in_use == OF_A_CLIENT

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


async def test_who_holds_a_turn_waits_for_no_other(shop: Shop) -> None:
    turns = ClientTurns(1)

    async with turns.turn(shop.tenant):
        async with turns.turn(shop.tenant):
            other = asyncio.create_task(_turn(turns, shop), context=contextvars.Context())
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not other.done()
    await other


async def test_a_turn_that_is_given_up_is_free(shop: Shop) -> None:
    turns = ClientTurns(1)

    async with turns.turn(shop.tenant):
        late = asyncio.create_task(_turn(turns, shop), context=contextvars.Context())
        await asyncio.sleep(0)
        late.cancel()
        await asyncio.wait([late])
    await _turn(turns, shop)
    assert late.cancelled()


async def _turn(turns: ClientTurns, shop: Shop) -> None:
    async with turns.turn(shop.tenant):
        pass
