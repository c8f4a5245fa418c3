"""A customer's inbound webhooks are erased with the customer, and no one else's."""

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.inbound.inbound_webhook import WebhookKind
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from store.core.database import Database
from store.inbound.data_requests import DataRequestRepository
from store.inbound.tables import data_requests, inbound_webhooks
from store.integrations.order_facts import OrderFactRepository
from store.integrations.tables import order_facts
from store.privacy.erasure_arrivals import CustomerArrivals
from tests.support.core.rows import rows
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.tenants.shop import Shop

ANN, BOB = "ann@x.example", "bob@x.example"


async def test_facts_requests_and_bodies_of_one_customer_go(database: Database, shop: Shop) -> None:
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        here = await listen_to(connection, shop.tenant, Provider.SHOPIFY)
        stored = {}
        for name, body, kind in (
            ("hers", b'{"email": "ANN@x.example"}', WebhookKind.FACT),
            ("duty", b'{"customer": {"email": "ann@x.example"}}', WebhookKind.DUTY),
            ("note", rb'{"note": "write to\nann@x.example"}', WebhookKind.FACT),
            ("tag", rb'{"note": "\u003cann@x.example\u003e"}', WebhookKind.FACT),
            ("waiting", b'{"from": "ann@x.example", "text": "hello"}', WebhookKind.TICKET),
            ("form", b"from=Ann+%3Cann%40x.example%3E&text=hello", WebhookKind.TICKET),
            ("long", b"from: ann@x.example\r\n" + bytes(1_100_000), WebhookKind.TICKET),
            ("longer", b'{"email": "joann@x.example"}', WebhookKind.FACT),
            ("ticket", b"whatever", WebhookKind.TICKET),
            ("his", b"ann@x.example is quoted by bob", WebhookKind.TICKET),
        ):
            stored[name] = await store_webhook(connection, shop.tenant, here, body, kind=kind)
        for name, customer in (("ticket", ANN), ("his", BOB)):
            await connection.execute(
                sa.update(inbound_webhooks)
                .where(inbound_webhooks.c.id == stored[name])
                .values(customer_key=customer)
            )
        for number, customer in enumerate((ANN, BOB)):
            fact = OrderFact(order_id=str(number), version=now, customer_email=customer.upper())
            await OrderFactRepository(connection, shop.tenant).apply(here, fact, now)
            await DataRequestRepository(connection, shop.tenant).open(
                new_ulid(), integration_id=here, customer_email=f" {customer.title()}",
                order_ids=(), now=now, due_at=now,
            )  # fmt: skip

    async with database.service() as connection:
        arrivals = CustomerArrivals(connection, shop.tenant, ANN, now)
        page = await arrivals.webhooks("")
        assert page[-1].id == max(stored.values())
        emptied = await arrivals.empty(arrivals.of_customer(page))
        assert emptied == {"inbound_webhooks, emptied": 8}
        assert await arrivals.webhooks(page[-1].id) == []
        assert await arrivals.remove_orders_and_requests() == {"order_facts": 1, "data_requests": 1}

    left = {row["id"]: row for row in await rows(database, inbound_webhooks, of=shop)}
    assert {name for name, key in stored.items() if left[key]["body"]} == {"longer", "his"}
    assert left[stored["ticket"]]["customer_key"] is None
    assert [row["customer_key"] for row in await rows(database, order_facts, of=shop)] == [BOB]
    assert len(await rows(database, data_requests, of=shop)) == 1


async def test_a_page_of_long_bodies_has_a_bounded_size(database: Database, shop: Shop) -> None:
    """Strangers choose their length, and a transaction is limited to seconds."""
    async with database.tenant(shop.tenant) as connection:
        here = await listen_to(connection, shop.tenant, Provider.SHOPIFY)
        body = bytes(1_100_000)
        stored = [
            await store_webhook(connection, shop.tenant, here, body, kind=WebhookKind.FACT)
            for _ in range(5)
        ]
        arrivals = CustomerArrivals(connection, shop.tenant, ANN, utc_now())
        first = await arrivals.webhooks("")
        rest = await arrivals.webhooks(first[-1].id)

    assert [len(page) for page in (first, rest)] == [2, 2]
    assert {row.id for row in (*first, *rest)} <= set(stored)
    assert [len(row.body) for row in first] == [1024 * 1024] * 2
