"""Order facts: one row per order, the newest value of each field, found by number or customer."""

import asyncio
from datetime import UTC, datetime, timedelta

from adapters.system import new_ulid, utc_now
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import OrderState
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.integrations.order_facts import OrderFactRepository
from store.integrations.tables import order_facts
from tests.support.core.rows import only_row
from tests.support.tenants.shop import Shop, open_shop

PLACED = datetime(2026, 11, 20, 9, tzinfo=UTC)
MINE = "ann@x.example"


def told(order_id: str, hours: int = 0, **more: object) -> OrderFact:
    usual = {
        "number": f"#{order_id}",
        "customer_email": MINE,
        "placed_at": PLACED,
        "total": Money(minor=4990, currency="EUR"),
        "state": OrderState.OPEN,
    }
    at = PLACED + timedelta(hours=hours)
    return OrderFact.model_validate({"order_id": order_id, "version": at, **usual, **more})


async def connected(database: Database, shop: Shop, provider: Provider) -> str:
    one = Integration(id=new_ulid(), provider=provider, sealed="")
    async with database.tenant(shop.tenant) as connection:
        integrations = IntegrationRepository(connection, shop.tenant)
        await integrations.connect(one, utc_now(), new_ulid)
    return one.id


async def apply(database: Database, shop: Shop, integration_id: str, fact: OrderFact) -> bool:
    async with database.tenant(shop.tenant) as connection:
        facts = OrderFactRepository(connection, shop.tenant)
        return await facts.apply(integration_id, fact, utc_now())


async def test_facts_are_merged_whatever_their_order(database: Database) -> None:
    shop = await open_shop(database)
    here = await connected(database, shop, Provider.WOOCOMMERCE)
    shipped = told("1001", 2, state=OrderState.SHIPPED)
    said = await asyncio.gather(*(apply(database, shop, here, shipped) for _ in range(5)))
    assert said.count(True) == 1, "five at once say it once"
    assert not await apply(database, shop, here, told("1001", 1)), "an older one says nothing new"
    assert await apply(database, shop, here, told("1001", 3, is_disputed=True))
    row = await only_row(database, order_facts, client_id=shop.client_id)
    assert (row["number"], row["customer_key"]) == ("1001", MINE)
    async with database.tenant(shop.tenant) as connection:
        found = await OrderFactRepository(connection, shop.tenant).find("1001", MINE)
    assert found is not None
    assert (found.state, found.is_disputed) == (OrderState.OPEN, True)
    assert found.told_at == PLACED + timedelta(hours=3)


async def test_an_order_is_found_by_number_by_customer_and_never_in_an_ended_connection(
    database: Database,
) -> None:
    shop = await open_shop(database)
    here = await connected(database, shop, Provider.WOOCOMMERCE)
    there = await connected(database, shop, Provider.STRIPE)
    await apply(database, shop, here, told("1001"))
    await apply(database, shop, here, told("1002", placed_at=PLACED + timedelta(days=1)))
    await apply(database, shop, there, told("pi_1", number="1001", is_disputed=True))
    await apply(database, shop, there, told("pi_2", number="1002", customer_email="eve@x.example"))
    async with database.tenant(shop.tenant) as connection:
        facts = OrderFactRepository(connection, shop.tenant)
        named = await facts.find("#1002", MINE)
        latest = await facts.find(None, MINE)
        other = await facts.find("1001", MINE, but_of={here})
        assert named is not None
        assert (named.id, named.provider) == ("1002", Provider.WOOCOMMERCE)
        assert latest is not None
        assert latest.id == "1002"
        assert other is not None
        assert other.id == "pi_1"
        about = await facts.about(named.model_copy(update={"number": "1001", "id": "1001"}))
        assert [it.order_id for it in about] == ["1001", "pi_1"]
        assert await facts.find(None, None) is None
        assert await facts.find("1001", MINE, but_of={here, there}) is None
        await IntegrationRepository(connection, shop.tenant).disconnect(here, utc_now(), new_ulid)
        assert await facts.forget_orders(there, ["pi_1", "unknown"]) == 1
        assert await facts.find("1001", MINE) is None
        assert await facts.forget(here) == 2
        assert await facts.forget(here) == 0
