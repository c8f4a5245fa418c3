"""The customer index: its entries, their names, and the search."""

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.core.contracts import RunRef
from domain.core.money import Money
from domain.customers.errors import CustomerNotFound
from domain.inbound.data_request import DataRequest
from domain.integrations.order_fact import OrderFact
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.customers.customer_lists import CustomerLists
from store.customers.customer_records import CustomerRecords
from store.customers.tables import customer_words, customers
from store.inbound.customer_file import CustomerFileRepository
from store.intake.tables import engine_events
from store.integrations.order_facts import OrderFactRepository
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import engine_messages
from tests.support.core.rows import only_row, rows
from tests.support.inbound.log import a_sender
from tests.support.runs.conversation import admitted, filed, write
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
            email, name, is_verified=is_verified, new_id=new_ulid, at=at
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


@pytest.mark.parametrize("text", ["Cœur", "COEUR", "cœu", "Œuvre laetitia", "Lætitia"])
async def test_ligatures_are_spelled_out(database: Database, shop: Shop, text: str) -> None:
    await keep(database, shop, ANN, "Lætitia Cœur-Œuvre")

    assert await found(database, shop, text) == [ANN]


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


async def indexed_again(database: Database, shop: Shop) -> None:
    """Index all messages in the state left by an import or an earlier version."""
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(engine_messages).values(normalized_key=None))
        await connection.execute(customers.delete())
        await CustomerIndex(connection, shop.tenant).index_all(new_ulid)


async def test_the_index_is_rebuilt_from_the_messages(database: Database, shop: Shop) -> None:
    await write(database, shop, customer=SOPHIE, now=NOW)
    await write(database, shop, customer=ANN, now=NOW)
    await write(database, shop, customer=None, now=NOW)
    before = [one["key"] for one in await rows(database, customers, of=shop)]
    await indexed_again(database, shop)

    after = await rows(database, customers, of=shop)
    assert sorted(one["key"] for one in after) == sorted(before)
    assert {one["is_verified"] for one in after} == {True}
    assert await found(database, shop, "sophie") == [SOPHIE]
    said = await rows(database, engine_messages, of=shop)
    assert sorted(one["normalized_key"] for one in said) == ["", ANN, SOPHIE]


async def test_an_earlier_message_does_not_rename(database: Database, shop: Shop) -> None:
    await keep(database, shop, ANN, "Ann Baker")
    await keep(database, shop, ANN, "Ann Miller", at=NOW - timedelta(days=1))

    row = await only_row(database, customers, of=shop)
    assert (row["name"], row["last_contact_at"]) == ("Ann Baker", NOW)
    assert row["first_contact_at"] == NOW - timedelta(days=1)
    assert await found(database, shop, "miller") == []


async def test_a_customer_whose_words_are_being_erased_is_not_indexed(
    database: Database, shop: Shop
) -> None:
    await write(database, shop, customer=SOPHIE, now=NOW)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(engine_events).values(erased_at=NOW))
    await indexed_again(database, shop)

    assert await rows(database, customers, of=shop) == []


async def from_a_contact_form(database: Database, shop: Shop, customer: str) -> RunRef:
    """Create a message whose customer is named only in its text."""
    ref = await admitted(database, shop, customer=None, now=NOW)
    await filed(database, shop, ref, key="mail:1", customer=customer, now=NOW)
    return ref


async def test_an_imported_claim_is_not_verified(database: Database, shop: Shop) -> None:
    for customer in (SOPHIE, ANN):
        await write(database, shop, customer=customer, now=NOW)
    async with database.service() as connection:
        # The state after an import: the limit flag is not exported.
        await connection.execute(sa.update(engine_messages).values(is_claim=False))
        await connection.execute(
            sa.text("""UPDATE engine_events SET unified = CASE unified ->> 'customer_email'
                WHEN :sophie THEN unified || '{"sender_authenticated": false}'
                ELSE unified - 'sender_authenticated' END WHERE client_id = :client"""),
            {"sophie": SOPHIE, "client": shop.client_id},
        )
    await indexed_again(database, shop)
    async with database.tenant(shop.tenant) as connection:
        talks = await CustomerRecords(connection, shop.tenant).conversations(
            SOPHIE, examined=9, limit=9
        )

    after = await rows(database, customers, of=shop)
    assert {one["key"]: one["is_verified"] for one in after} == {SOPHIE: False, ANN: True}
    assert list(talks.values()) == [False]


async def test_a_customer_of_a_contact_form_is_found(database: Database, shop: Shop) -> None:
    ref = await from_a_contact_form(database, shop, SOPHIE.upper())
    asked = DataRequest(
        id="1", integration_id=None, customer_email=SOPHIE, order_ids=(), created_at=NOW,
        due_at=NOW, fulfilled_by=None, fulfilled_at=None,
    )  # fmt: skip
    async with database.tenant(shop.tenant) as connection:
        records = CustomerRecords(connection, shop.tenant)
        contacts = await records.contacts([SOPHIE], 9)
        file = await CustomerFileRepository(connection, shop.tenant).read(asked, NOW)

    assert contacts[SOPHIE].conversations == 1
    assert [one.event_id for one in file.messages] == [ref.event_id]


async def test_imported_messages_get_their_keys(database: Database, shop: Shop) -> None:
    await from_a_contact_form(database, shop, SOPHIE.upper())
    await indexed_again(database, shop)

    assert [one["key"] for one in await rows(database, customers, of=shop)] == [SOPHIE]
    assert (await only_row(database, engine_messages, of=shop))["normalized_key"] == SOPHIE


async def test_the_latest_orders_are_read(database: Database, shop: Shop) -> None:
    here = await a_sender(database, shop)
    async with database.tenant(shop.tenant) as connection:
        for number in range(4):
            fact = OrderFact(
                order_id=str(number), version=NOW + timedelta(days=number), customer_email=ANN
            )
            await OrderFactRepository(connection, shop.tenant).apply(here, fact, NOW)
        records = CustomerRecords(connection, shop.tenant)
        some = (await records.orders([ANN], 3))[ANN]
        everything = (await records.orders([ANN], 9))[ANN]

    assert [one.number for one in some.orders] == ["3", "2", "1"]
    assert (some.has_more, everything.has_more) == (True, False)


async def test_a_cancelled_order_is_given_back(database: Database, shop: Shop) -> None:
    ref = await write(database, shop, customer=ANN, now=NOW)
    place, amount = LedgerPlace(ref.run_id, 0, 0), Money(minor=900, currency="EUR")
    cancelled = Effect(
        ActionKind.CANCEL_ORDER, order_key="shopify/7", customer_key=ANN, amount=amount
    )
    async with database.tenant(shop.tenant) as connection:
        ledger = ActionLedger(connection, shop.tenant)
        await ledger.begin(place, cancelled, entry_id=new_ulid(), now=NOW)
        done = StepOutcome(kind=ActionKind.CANCEL_ORDER, state=StepState.DONE, detail="")
        await ledger.finish(place, done, reference="c_1", now=NOW)
        found = await CustomerRecords(connection, shop.tenant).refunds(ANN, 9)

    assert [one.amount for one in found] == [amount]
