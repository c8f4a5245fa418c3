"""Reached thresholds: reported with the ticket that reaches them, once a month each."""

import asyncio
from datetime import UTC, datetime

import sqlalchemy as sa

from adapters.system import new_ulid
from domain.billing.subscription import Subscription
from domain.core.period import period_of
from domain.tenants.client import Plan
from services.intake.admission import Admitted
from store.billing.tables import usage_counters
from store.billing.thresholds import note_reached
from store.core.database import Database
from store.tenants.accounts import AccountRepository
from store.webhooks.tables import webhook_deliveries
from tests.support.core.rows import only_row, rows
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop
from tests.support.webhooks.told import Told, only_told, told_events
from tests.support.webhooks.webhooks import subscribe

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
JUST_AFTER_MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
EVENT = "usage.threshold_reached"


async def used(database: Database, shop: Shop, tickets: int, at: datetime = NOON) -> None:
    values = {"client_id": shop.client_id, "period": period_of(at), "tickets_used": tickets}
    async with database.service() as connection:
        await connection.execute(sa.insert(usage_counters).values(values))


async def change(database: Database, shop: Shop, plan: Plan) -> tuple[str, ...]:
    """Change the plan as an operator; return the ids of the deliveries to send."""
    async with database.tenant(shop.tenant) as connection:
        accounts = AccountRepository(connection, shop.tenant)
        await accounts.lock()
        await accounts.save(Subscription(plan))
        return await note_reached(connection, shop.tenant, NOON, new_ulid)


async def ticket(database: Database, shop: Shop, at: datetime = NOON) -> str:
    """Return the run for which a ticket is charged."""
    admitted = await try_to_admit(database, shop, now=at)
    assert isinstance(admitted, Admitted)
    return admitted.ref.run_id


def facts(told: Told) -> tuple[str, int, int, int]:
    data = told.data
    return (data["period"], data["threshold"], data["tickets_used"], data["tickets_limit"])


async def test_the_ticket_that_reaches_it_has_it_sent(database: Database, shop: Shop) -> None:
    await subscribe(database, shop, events=(EVENT,))
    await used(database, shop, 3_998)

    await ticket(database, shop)
    assert await told_events(database, of=shop) == []
    run_id = await ticket(database, shop)
    await ticket(database, shop)

    told = await only_told(database, of=shop)
    assert (told.event, told.dedup_key) == (EVENT, "2026-11:80")
    assert told.data == {
        "period": "2026-11",
        "threshold": 80,
        "tickets_used": 4_000,
        "tickets_limit": 5_000,
        "credits_balance": 0,
    }
    assert (await only_row(database, webhook_deliveries, of=shop))["run_id"] == run_id


async def test_many_tickets_at_once_tell_it_once(database: Database, shop: Shop) -> None:
    await used(database, shop, 4_990)

    await asyncio.gather(*(ticket(database, shop) for _ in range(10)))

    told = [facts(one) for one in await told_events(database, of=shop)]
    assert told == [("2026-11", 80, 4_991, 5_000), ("2026-11", 100, 5_000, 5_000)]


async def test_a_change_of_plan_tells_what_it_brings_about(database: Database, shop: Shop) -> None:
    """80 percent of one plan counts as the month's 80 percent, whatever plan follows."""
    await subscribe(database, shop)
    await used(database, shop, 4_500)

    (reached,) = await change(database, shop, Plan.PRO)
    assert await change(database, shop, Plan.PRO) == ()
    assert await change(database, shop, Plan.ENTERPRISE) == ()
    # Below pro, the event is recorded, but sent to nobody.
    assert await change(database, shop, Plan.STARTER) == ()
    assert await change(database, shop, Plan.PRO) == ()

    told = [facts(one) for one in await told_events(database, of=shop)]
    assert told == [("2026-11", 80, 4_500, 5_000), ("2026-11", 100, 4_500, 1_000)]
    delivery = await only_row(database, webhook_deliveries, of=shop)
    assert (delivery["id"], delivery["run_id"]) == (reached, None)


async def test_without_a_limit_there_is_none(database: Database, shop: Shop) -> None:
    await change(database, shop, Plan.ENTERPRISE)
    await used(database, shop, 999_999)

    await ticket(database, shop)

    assert await told_events(database, of=shop) == []


async def test_each_month_has_its_own(database: Database, shop: Shop) -> None:
    await used(database, shop, 4_999)
    await used(database, shop, 3_999, JUST_AFTER_MIDNIGHT)

    await ticket(database, shop)
    await ticket(database, shop, JUST_AFTER_MIDNIGHT)

    told = [facts(one) for one in await told_events(database, of=shop)]
    assert told == [
        ("2026-11", 80, 5_000, 5_000),
        ("2026-11", 100, 5_000, 5_000),
        ("2026-12", 80, 4_000, 5_000),
    ]
    assert await rows(database, webhook_deliveries, of=shop) == []
