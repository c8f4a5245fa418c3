"""Daily budgets: over all clients, and over clients without a paid plan."""

import asyncio
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from domain.billing.model_money import (
    BudgetRefusal,
    BudgetReservation,
    ModelBudget,
    SpendingScope,
)
from domain.tenants.client import Plan
from services.core.model_money import ModelMoney
from store.core.database import Database
from store.runs.tables import brain_costs
from store.tenants.clients import ClientRepository
from store.tenants.tables import clients
from tests.support.core.locks import until_waiting
from tests.support.tenants.shop import Shop, open_shop
from tests.support.tenants.spending import (
    a_day,
    set_plan,
    spent_in_a_day,
    spent_in_the_month,
    unpaid_shop,
)

INSTALLATION, TRIAL = SpendingScope.INSTALLATION, SpendingScope.TRIAL
MONTH = 10_000


def money(
    database: Database,
    now: datetime,
    *,
    installation: int | None = None,
    trial: int | None = None,
    month: int = MONTH,
) -> ModelMoney:
    return ModelMoney(database, ModelBudget(month, installation, trial), lambda: now)


async def unpaid_with_budget(database: Database, trial_ends_at: datetime | None = None) -> Shop:
    """A client without a paid plan whose own budget exceeds every daily budget in these tests."""
    shop = await unpaid_shop(database, trial_ends_at)
    async with database.service() as connection:
        await ClientRepository(connection).set_brain_budget(shop.client_id, MONTH)
    return shop


async def book(
    it: ModelMoney, shop: Shop, reservation: BudgetReservation | BudgetRefusal, cost: int
) -> None:
    """Book a question for which 300 was reserved."""
    assert isinstance(reservation, BudgetReservation)
    await it.book(
        shop.tenant, reservation, tokens_in=1, tokens_out=1, cost_micros=cost, reserved_micros=300
    )


async def test_many_clients_at_once_stay_within_the_installations_day(database: Database) -> None:
    now, shops = a_day(), [await open_shop(database) for _ in range(4)]
    it = money(database, now, installation=1_000)

    found = await asyncio.gather(*(it.reserve(shop.tenant, 300) for shop in shops * 3))

    held = [one for one in found if isinstance(one, BudgetReservation)]
    assert len(held) == 3
    assert {one for one in found if not isinstance(one, BudgetReservation)} == {BudgetRefusal.DAY}
    assert await spent_in_a_day(database, now.date()) == {INSTALLATION: 900}
    assert sum([await spent_in_the_month(database, shop, now) for shop in shops]) == 900


async def test_many_trials_at_once_stay_within_their_day(database: Database) -> None:
    """Rejected questions do not use the installation's budget either."""
    now = a_day()
    shops = [await unpaid_with_budget(database, now + timedelta(days=1)) for _ in range(4)]
    it = money(database, now, installation=10_000, trial=1_000)

    found = await asyncio.gather(*(it.reserve(shop.tenant, 300) for shop in shops * 3))

    assert len([one for one in found if isinstance(one, BudgetReservation)]) == 3
    assert await spent_in_a_day(database, now.date()) == {TRIAL: 900, INSTALLATION: 900}


@pytest.mark.parametrize("in_trial", [True, False])
async def test_paying_clients_go_on_when_trials_have_used_up_their_day(
    database: Database, *, in_trial: bool
) -> None:
    now, paying = a_day(), await open_shop(database)
    unpaid = await unpaid_with_budget(database, now + timedelta(days=1) if in_trial else None)
    it = money(database, now, installation=10_000, trial=300)

    assert isinstance(await it.reserve(unpaid.tenant, 300), BudgetReservation)
    assert await it.reserve(unpaid.tenant, 300) is BudgetRefusal.DAY
    assert isinstance(await it.reserve(paying.tenant, 300), BudgetReservation)
    assert await spent_in_a_day(database, now.date()) == {TRIAL: 300, INSTALLATION: 600}


async def test_a_paid_plan_during_a_trial_is_paid(database: Database, shop: Shop) -> None:
    now = a_day()
    await set_plan(database, shop, Plan.STARTER, now + timedelta(days=1))

    assert isinstance(
        await money(database, now, trial=0).reserve(shop.tenant, 300), BudgetReservation
    )


async def test_a_refusal_gives_back_what_was_reserved_before(database: Database) -> None:
    """No reservation remains in the client's month or the trials' day for a rejected question."""
    now, unpaid = a_day(), await unpaid_shop(database)

    refused = await money(database, now, installation=299, trial=10_000).reserve(unpaid.tenant, 300)

    assert refused is BudgetRefusal.DAY
    assert await spent_in_the_month(database, unpaid, now) == 0
    assert (await spent_in_a_day(database, now.date())).get(TRIAL) == 0
    allowed = await money(database, now, month=300).reserve(unpaid.tenant, 300)
    assert isinstance(allowed, BudgetReservation)


async def test_a_month_without_money_leaves_the_day_alone(database: Database, shop: Shop) -> None:
    now = a_day()
    async with database.service() as connection:
        await ClientRepository(connection).set_brain_budget(shop.client_id, 299)

    refused = await money(database, now).reserve(shop.tenant, 300)

    assert refused is BudgetRefusal.MONTH
    assert await spent_in_a_day(database, now.date()) == {}


async def test_the_true_cost_takes_the_reservations_place(database: Database) -> None:
    """Even if it is higher, or if no daily budget was configured."""
    now, unpaid = a_day(), await unpaid_shop(database)
    it = money(database, now)

    await book(it, unpaid, await it.reserve(unpaid.tenant, 300), 120)
    await book(it, unpaid, await it.reserve(unpaid.tenant, 300), 450)

    assert await spent_in_a_day(database, now.date()) == {TRIAL: 570, INSTALLATION: 570}
    assert await spent_in_the_month(database, unpaid, now) == 570
    held = money(database, now, installation=570 + 299)
    assert await held.reserve(unpaid.tenant, 300) is BudgetRefusal.DAY


async def test_money_returns_to_its_day_and_its_counters(database: Database) -> None:
    """Midnight and a change of plan occur between the reservation and the actual cost."""
    now, shop = a_day(), await unpaid_with_budget(database)
    reserved = await money(database, now, installation=300, trial=300).reserve(shop.tenant, 300)
    tomorrow = now + timedelta(days=1)
    await set_plan(database, shop, Plan.PRO)

    await book(money(database, tomorrow), shop, reserved, 100)

    assert await spent_in_a_day(database, now.date()) == {TRIAL: 100, INSTALLATION: 100}
    assert await spent_in_a_day(database, tomorrow.date()) == {}
    assert await spent_in_the_month(database, shop, now) == 100


async def test_a_day_begins_with_a_full_budget(database: Database, shop: Shop) -> None:
    now = a_day()
    assert isinstance(
        await money(database, now, installation=300).reserve(shop.tenant, 300), BudgetReservation
    )
    assert (
        await money(database, now, installation=300).reserve(shop.tenant, 300) is BudgetRefusal.DAY
    )

    tomorrow = money(database, now + timedelta(days=1), installation=300)

    assert isinstance(await tomorrow.reserve(shop.tenant, 300), BudgetReservation)


async def test_a_client_that_is_being_erased_counts_as_unpaid(
    database: Database, shop: Shop
) -> None:
    now = a_day()
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == shop.client_id).values(closed_at=now)
        )

    assert await money(database, now, trial=0).reserve(shop.tenant, 300) is BudgetRefusal.MONTH


async def test_one_unpaid_account_leaves_the_day_to_the_others(database: Database) -> None:
    """Attack: aborted copilot questions used up the trials' day. An account can now use a fourth of
    it, in a month; the operator may allow more."""
    now, attacker, other = a_day(), await unpaid_shop(database), await unpaid_shop(database)
    it = money(database, now, trial=1_200)

    assert isinstance(await it.reserve(attacker.tenant, 300), BudgetReservation)
    assert await it.reserve(attacker.tenant, 300) is BudgetRefusal.MONTH
    tomorrow = money(database, now + timedelta(seconds=1), trial=1_200)
    assert await tomorrow.reserve(attacker.tenant, 300) is BudgetRefusal.MONTH
    assert isinstance(await it.reserve(other.tenant, 300), BudgetReservation)
    async with database.service() as connection:
        await ClientRepository(connection).set_brain_budget(attacker.client_id, 600)
    assert isinstance(await it.reserve(attacker.tenant, 300), BudgetReservation)


async def test_a_client_whose_row_is_locked_delays_no_other_client(
    database: Database, shop: Shop
) -> None:
    """A client that waits for its own month does not lock the shared counter."""
    now, other = a_day(), await open_shop(database)
    it = money(database, now, installation=10_000)
    await it.reserve(shop.tenant, 300)
    async with database.tenant(shop.tenant) as held:
        await held.execute(sa.select(brain_costs).with_for_update())
        waiting = asyncio.create_task(it.reserve(shop.tenant, 300))
        await until_waiting(database)

        assert isinstance(await it.reserve(other.tenant, 300), BudgetReservation)
        assert not waiting.done()

    assert isinstance(await waiting, BudgetReservation)
    assert await spent_in_a_day(database, now.date()) == {INSTALLATION: 900}


async def test_a_ceiling_of_zero_lets_models_without_a_price_think(
    database: Database, shop: Shop
) -> None:
    it = money(database, a_day(), installation=0, month=0)

    assert isinstance(await it.reserve(shop.tenant, 0), BudgetReservation)
