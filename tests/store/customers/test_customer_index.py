"""The index of customers: who is in it, under which name, and how they are found."""

from datetime import datetime, timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.customers.errors import CustomerNotFound
from domain.integrations.order_fact import OrderFact
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.customers.customer_lists import CustomerLists
from store.customers.tables import customer_words, customers
from store.integrations.order_facts import OrderFactRepository
from tests.support.core.rows import only_row, rows
from tests.support.inbound.log import a_sender
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

NOW = utc_now()
SOPHIE, ANN = "sophie.m@x.example", "ann@x.example"


async def keep(
    database: Database,
    shop: Shop,
    email: str | None,
    name: str | None = None,
    *,
    is_verified: bool = True,
    at: datetime = NOW,
) -> None:
    async with database.tenant(shop.tenant) as connection:
        await CustomerIndex(connection, shop.tenant).keep(
            email, name, is_verified=is_verified, new_id=new_ulid, now=at
        )


async def found(database: Database, shop: Shop, text: str) -> list[str]:
    async with database.reading(shop.tenant) as connection:
        page, _ = await CustomerLists(connection, shop.tenant).page(text, after=None, limit=50)
    return [one.email for one in page]


async def test_a_customer_has_one_row(database: Database, shop: Shop) -> None:
    await keep(database, shop, SOPHIE, "Sophie Martin")
    first = await only_row(database, customers, of=shop)
    await keep(database, shop, SOPHIE.upper(), None, at=NOW + timedelta(hours=1))
    await keep(database, shop, None, "Nobody")

    row = await only_row(database, customers, of=shop)
    assert (row["id"], row["key"], row["name"]) == (first["id"], SOPHIE, "Sophie Martin")
    assert row["last_contact_at"] - row["first_contact_at"] == timedelta(hours=1)


async def test_a_new_name_replaces_the_words_of_the_old_one(database: Database, shop: Shop) -> None:
    await keep(database, shop, ANN, "Ann Miller")
    await keep(database, shop, ANN, "Ann Baker")

    assert await found(database, shop, "baker") == [ANN]
    assert await found(database, shop, "miller") == []
    assert await found(database, shop, "ann@x") == [ANN]


async def test_a_stranger_cannot_rename_a_customer(database: Database, shop: Shop) -> None:
    await keep(database, shop, ANN, "Ann")
    await keep(database, shop, ANN, "Scam Bank", is_verified=False)

    row = await only_row(database, customers, of=shop)
    assert (row["name"], row["is_verified"]) == ("Ann", True)
    assert await found(database, shop, "scam") == []
    assert "bank" not in {one["word"] for one in await rows(database, customer_words)}


async def test_the_name_of_a_stranger_gives_way_to_the_customers(
    database: Database, shop: Shop
) -> None:
    await keep(database, shop, ANN, "Somebody", is_verified=False)
    await keep(database, shop, ANN, "Ann")

    row = await only_row(database, customers, of=shop)
    assert (row["name"], row["is_verified"]) == ("Ann", True)
    assert await found(database, shop, "somebody") == []


@pytest.mark.parametrize(
    "text",
    ["sophie", "SOPH", "martín", "Martin Sophie", "sophie.m@x.ex", "x.example martin", "#77", "77"],
)
async def test_how_sophie_is_found(database: Database, shop: Shop, text: str) -> None:
    await keep(database, shop, SOPHIE, "Sophie Martin")
    await keep(database, shop, ANN, "Ann Miller")
    async with database.tenant(shop.tenant) as connection:
        here = await a_sender(database, shop)
        fact = OrderFact(order_id="1", number="77", version=NOW, customer_email=SOPHIE)
        await OrderFactRepository(connection, shop.tenant).apply(here, fact, NOW)

    assert await found(database, shop, text) == [SOPHIE]


@pytest.mark.parametrize("text", ["sophie miller", "ophie", "%", "_", "'", "\\", "!", "#78", "@"])
async def test_how_nobody_is_found(database: Database, shop: Shop, text: str) -> None:
    await keep(database, shop, SOPHIE, "Sophie Martin")

    assert await found(database, shop, text) == []


async def test_pages_follow_each_other(database: Database, shop: Shop) -> None:
    for number in range(5):
        await keep(database, shop, f"c{number}@x.example", at=NOW + timedelta(minutes=number))
    for text in ("", "x.example"):
        seen: list[str] = []
        after = None
        while True:
            async with database.reading(shop.tenant) as connection:
                page, after = await CustomerLists(connection, shop.tenant).page(
                    text, after=after, limit=2
                )
            seen += [one.email for one in page]
            if after is None:
                break
        assert seen == [f"c{number}@x.example" for number in (4, 3, 2, 1, 0)]


async def test_each_client_has_its_own_customers(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    await keep(database, shop, SOPHIE, "Sophie")
    row = await only_row(database, customers, of=shop)

    assert await found(database, other, "sophie") == []
    async with database.reading(other.tenant) as connection:
        with pytest.raises(CustomerNotFound):
            await CustomerLists(connection, other.tenant).read(row["id"])


async def test_the_index_is_rebuilt_from_the_messages(database: Database, shop: Shop) -> None:
    await write(database, shop, customer=SOPHIE, now=NOW)
    await write(database, shop, customer=ANN, now=NOW)
    before = [one["key"] for one in await rows(database, customers, of=shop)]
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(customers.delete())
        await CustomerIndex(connection, shop.tenant).rebuild(new_ulid)

    after = await rows(database, customers, of=shop)
    assert sorted(one["key"] for one in after) == sorted(before)
    assert {one["is_verified"] for one in after} == {True}
    assert await found(database, shop, "sophie") == [SOPHIE]
