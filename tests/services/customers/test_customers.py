"""Customer data in lists and on pages."""

import asyncio
from datetime import timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.analytics.churn import ChurnLevel
from domain.customers.errors import CustomerNotFound
from domain.integrations.order import OrderState
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.customers.customers import (
    customer_names,
    customer_of,
    list_customers,
    read_customer,
)
from services.inbound.data_requests import fulfil_data_request, open_data_request
from store.core.database import Database
from store.inbound.data_requests import DataRequestRepository, unnotified
from store.inbound.tables import data_requests
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.customers.regular import NAME, REFUNDED, SOPHIE, TOTAL, a_regular
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

OWNER, AGENT = (Actor.person("u", role) for role in (Role.OWNER, Role.AGENT))


async def test_a_list_has_the_figures_of_each_customer(database: Database, shop: Shop) -> None:
    await a_regular(database, shop)
    await write(
        database, shop, customer="new@x.example", key="email:9",
        now=utc_now() + timedelta(minutes=1),
    )  # fmt: skip
    async with database.reading(shop.tenant) as connection:
        found, _ = await list_customers(connection, shop.tenant, AGENT, "", after=None, limit=50)

    new, sophie = found
    assert (sophie.email, sophie.name, sophie.figures.conversations) == (SOPHIE, NAME, 2)
    assert (sophie.figures.orders, sophie.figures.spent) == (1, (TOTAL,))
    assert (sophie.figures.sentiment, sophie.figures.risk) == (-0.5, ChurnLevel.HIGH)
    assert (new.email, new.figures.orders, new.figures.spent) == ("new@x.example", 0, ())


async def test_a_page_has_the_customers_past(database: Database, shop: Shop) -> None:
    customer_id = await a_regular(database, shop)
    async with database.reading(shop.tenant) as connection:
        sophie = await read_customer(connection, shop.tenant, AGENT, customer_id)

    assert [one.latest for one in sophie.conversations] == ["It is broken.", "Where is my lamp?"]
    (order,) = sophie.orders
    assert (order.number, order.state, order.total) == ("1043", OrderState.DELIVERED, TOTAL)
    (refund,) = sophie.refunds
    assert (refund.order_number, refund.amount) == ("1043", REFUNDED)
    assert sophie.refunded == (REFUNDED,)
    assert [one.body for one in sophie.notes] == ["Call her back."]
    assert sophie.is_complete


async def test_a_customer_of_another_client_is_not_found(database: Database, shop: Shop) -> None:
    customer_id = await a_regular(database, shop)
    other = await open_shop(database)
    async with database.reading(other.tenant) as connection:
        with pytest.raises(CustomerNotFound):
            await read_customer(connection, other.tenant, OWNER, customer_id)
        assert await list_customers(
            connection, other.tenant, OWNER, "sophie", after=None, limit=50
        ) == ([], None)


async def test_a_customer_has_one_open_data_request(database: Database, shop: Shop) -> None:
    customer_id = await a_regular(database, shop)
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        first = await open_data_request(work, OWNER, customer_id)
    async with units.of(shop.tenant) as work:
        again = await open_data_request(work, OWNER, customer_id)
        await fulfil_data_request(work, OWNER, first.id)
    async with units.of(shop.tenant) as work:
        later = await open_data_request(work, OWNER, customer_id)

    assert first == again
    assert (first.integration_id, first.customer_email, first.order_ids) == (None, SOPHIE, ())
    assert later.id != first.id
    assert len(await rows(database, data_requests, of=shop)) == 2
    async with database.service() as connection:
        assert first.id not in {one for _, one in await unnotified(connection, limit=50)}


async def test_an_overdue_request_of_another_spelling_is_still_open(
    database: Database, shop: Shop
) -> None:
    customer_id = await a_regular(database, shop)
    before = utc_now() - timedelta(days=90)
    request_id = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        await DataRequestRepository(connection, shop.tenant).open(
            request_id, integration_id=None, customer_email=f" {SOPHIE.upper()}", order_ids=(),
            now=before, due_at=before,
        )  # fmt: skip
    async with units_on(database).of(shop.tenant) as work:
        assert (await open_data_request(work, OWNER, customer_id)).id == request_id


async def test_two_members_open_one_data_request(database: Database, shop: Shop) -> None:
    customer_id = await a_regular(database, shop)

    async def ask() -> str:
        async with units_on(database).of(shop.tenant) as work:
            return (await open_data_request(work, OWNER, customer_id)).id

    assert len({*await asyncio.gather(ask(), ask())}) == 1


async def test_who_may_open_a_data_request(database: Database, shop: Shop) -> None:
    customer_id = await a_regular(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await open_data_request(work, AGENT, customer_id)
        with pytest.raises(CustomerNotFound):
            await open_data_request(work, OWNER, new_ulid())


async def test_a_customer_is_known_by_the_address(database: Database, shop: Shop) -> None:
    """However the address is spelled, and only to the client's own members."""
    customer_id = await a_regular(database, shop)
    other = await open_shop(database)
    asked = [SOPHIE.upper(), "unknown@x.example", "", None]
    async with database.reading(shop.tenant) as connection:
        names = await customer_names(connection, shop.tenant, AGENT, asked)
        known = await customer_of(connection, shop.tenant, AGENT, SOPHIE.upper())
        assert await customer_of(connection, shop.tenant, AGENT, None) is None
    assert names == {SOPHIE.upper(): NAME}
    assert known is not None
    assert (known.id, known.name, known.figures.spent) == (customer_id, NAME, (TOTAL,))
    async with database.reading(other.tenant) as connection:
        assert await customer_names(connection, other.tenant, OWNER, asked) == {}
        assert await customer_of(connection, other.tenant, OWNER, SOPHIE) is None
