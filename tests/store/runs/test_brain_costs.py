"""A client's language model costs, and concurrent runs within the budget."""

import asyncio

import pytest
import sqlalchemy as sa

from domain.core.errors import DomainError
from domain.core.period import Period
from store.core.database import Database
from store.runs.brain_costs import BrainCost, BrainCosts
from store.runs.tables import brain_costs
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop, open_shop

NOVEMBER, DECEMBER = Period("2026-11"), Period("2026-12")


async def reserve(database: Database, shop: Shop, reserve_micros: int, budget: int) -> bool:
    async with database.tenant(shop.tenant) as connection:
        return await BrainCosts(connection, shop.tenant).reserve(NOVEMBER, reserve_micros, budget)


async def add(database: Database, shop: Shop, cost_micros: int, reserved_micros: int) -> None:
    async with database.tenant(shop.tenant) as connection:
        await BrainCosts(connection, shop.tenant).add(
            NOVEMBER,
            tokens_in=1_000,
            tokens_out=100,
            cost_micros=cost_micros,
            reserved_micros=reserved_micros,
        )


async def spent(database: Database, shop: Shop, period: Period = NOVEMBER) -> BrainCost:
    async with database.tenant(shop.tenant) as connection:
        return await BrainCosts(connection, shop.tenant).spent(period)


async def test_nothing_is_spent_at_first(database: Database, shop: Shop) -> None:
    assert await spent(database, shop) == BrainCost()


async def test_true_cost_takes_the_place_of_what_was_set_aside(
    database: Database, shop: Shop
) -> None:
    assert await reserve(database, shop, 500, 10_000)
    assert (await spent(database, shop)).cost_micros == 500

    await add(database, shop, 320, 500)
    await add(database, shop, 80, 0)

    assert await spent(database, shop) == BrainCost(2, 2_000, 200, 400)


async def test_cost_without_anything_set_aside(database: Database, shop: Shop) -> None:
    await add(database, shop, 320, 0)

    assert (await spent(database, shop)).cost_micros == 320


@pytest.mark.parametrize(("asked", "budget", "held"), [(5, 4, False), (5, 5, True), (0, 0, True)])
async def test_first_question_of_a_month(
    database: Database, shop: Shop, asked: int, budget: int, held: bool
) -> None:
    assert await reserve(database, shop, asked, budget) is held


async def test_many_at_once_stay_within_the_budget(database: Database, shop: Shop) -> None:
    held = await asyncio.gather(*(reserve(database, shop, 300, 1_000) for _ in range(12)))

    assert sum(held) == 3
    assert (await spent(database, shop)).cost_micros == 900

    await add(database, shop, 0, 300)
    assert await reserve(database, shop, 300, 1_000)


async def test_months_and_clients_have_their_own(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    assert await reserve(database, shop, 1_000, 1_000)
    assert not await reserve(database, shop, 1, 1_000)

    assert await reserve(database, other, 1_000, 1_000)
    assert await spent(database, shop, DECEMBER) == BrainCost()


async def test_nobody_books_for_another_client(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    with pytest.raises((sa.exc.DBAPIError, DomainError)):
        async with database.tenant(shop.tenant) as connection:
            await BrainCosts(connection, other.tenant).reserve(NOVEMBER, 1, 1_000)

    for one in (shop, other):
        assert await rows(database, brain_costs, of=one) == []
