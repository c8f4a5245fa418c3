"""An event of another platform is taken once, however often and by how many at once it comes."""

import asyncio
from datetime import timedelta

from temporalio.testing import ActivityEnvironment

from activities.privacy.prune import Prune
from adapters.system import utc_now
from domain.privacy.contracts import HousekeepingInput
from store.core.database import Database
from store.intake.inbound_events import InboundEvents
from store.intake.tables import inbound_events
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop, open_shop


async def first_sight(database: Database, shop: Shop, event_id: str, provider: str = "p") -> bool:
    async with database.tenant(shop.tenant) as connection:
        events = InboundEvents(connection, shop.tenant)
        return await events.first_sight(provider, event_id, utc_now())


async def test_of_thirty_at_once_one_is_the_first(database: Database, shop: Shop) -> None:
    seen = await asyncio.gather(*(first_sight(database, shop, "e") for _ in range(30)))

    assert seen.count(True) == 1


async def test_each_client_and_platform_has_ids_of_its_own(database: Database, shop: Shop) -> None:
    assert await first_sight(database, shop, "e")
    assert await first_sight(database, await open_shop(database), "e")
    assert await first_sight(database, shop, "e", "q")
    assert not await first_sight(database, shop, "e")


async def test_what_was_rolled_back_was_not_taken(database: Database, shop: Shop) -> None:
    async with database.engine.connect() as connection:
        begun = await connection.execution_options(isolation_level="READ COMMITTED")
        async with begun.begin() as transaction:
            await begun.exec_driver_sql(f"SET LOCAL app.client_id = '{shop.client_id}'")
            assert await InboundEvents(begun, shop.tenant).first_sight("p", "e", utc_now())
            waiting = asyncio.create_task(first_sight(database, shop, "e"))
            await transaction.rollback()

    assert await waiting


async def test_thirty_days_later_it_is_forgotten(database: Database, shop: Shop) -> None:
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        events = InboundEvents(connection, shop.tenant)
        await events.first_sight("p", "old", now - timedelta(days=30, seconds=1))
        await events.first_sight("p", "young", now - timedelta(days=30))

    await ActivityEnvironment().run(Prune(database, lambda: now).prune, HousekeepingInput())

    assert [row["event_id"] for row in await rows(database, inbound_events, of=shop)] == ["young"]
