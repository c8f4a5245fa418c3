"""Polling delivers a missed webhook, and does not process a received one twice."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.inbound.poll import PollIntegrations
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.inbound.contracts import ProcessWebhookInput
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity
from domain.inbound.meaning import InboundTicket, OrderNews
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.polling import PollInput, PollResult
from domain.inbound.ports import EndpointFacts
from domain.integrations.integration import Integration
from domain.integrations.order import OrderState
from domain.integrations.providers import Provider
from domain.tenants.client import Plan
from store.core.database import Database
from store.inbound import webhooks
from store.inbound.messages import InboundMessageRepository
from store.inbound.tables import inbound_webhooks, poll_cursors
from store.integrations.integrations import IntegrationRepository
from store.integrations.order_facts import OrderFactRepository
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.intake.admission import on_plan
from tests.support.servers.http_service import HttpService, Reply, Request, serving
from tests.support.servers.shopify import TOKEN, shopify_server
from tests.support.servers.shopify_order import Payment, ShopifyOrder
from tests.support.servers.zendesk import API_TOKEN, EMAIL, zendesk_server
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

SEALER = FernetSealer(new_seal_key())
CONNECTED = datetime(2026, 11, 1, tzinfo=UTC)
ANN = "ann@x.example"


class Started:
    def __init__(self) -> None:
        self.webhooks: list[str] = []

    async def process_webhook(self, webhook: ProcessWebhookInput, *, wake: bool = False) -> bool:
        assert not wake
        self.webhooks.append(webhook.ref.webhook_id)
        return True


async def connect(
    database: Database,
    shop: Shop,
    provider: Provider,
    settings: Mapping[str, str],
    credentials: Mapping[str, str],
) -> str:
    """Create a connection with the creation time CONNECTED; return its id."""
    one = Integration(
        id=new_ulid(), provider=provider, settings=dict(settings),
        sealed=SEALER.seal(json.dumps(dict(credentials))),
    )  # fmt: skip
    async with database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).connect(one, CONNECTED, new_ulid)
    return one.id


async def poll(database: Database, engine: Started | None = None) -> PollResult:
    http = open_client()
    try:
        polls = PollIntegrations(
            units_on(database),
            ConnectorRegistry(SEALER, http, allow_loopback=True),
            engine or Started(),
            utc_now,
            platforms=PLATFORMS,
        )
        return await ActivityEnvironment().run(polls.poll, PollInput())
    finally:
        await http.aclose()


def shopify_order(number: str, minutes: int) -> ShopifyOrder:
    return ShopifyOrder(
        name=f"#{number}",
        email=ANN,
        payments=[Payment("gid://shopify/OrderTransaction/1", 4990, refunded=1000)],
        fulfillment="FULFILLED",
        parcels=[("DELIVERED", "https://track.example/1")],
        items=[("Lampe", 2)],
        updated_at=(CONNECTED + timedelta(minutes=minutes)).isoformat(),
    )


async def apply_all(database: Database, shop: Shop, provider: Provider) -> None:
    """Apply the facts of all stored webhooks."""
    for row in await rows(database, inbound_webhooks, of=shop):
        read = PLATFORMS[provider].read(
            InboundRequest(row["headers"], row["body"]),
            Identity(row["dedup_key"], row["topic"]),
            EndpointFacts(row["integration_id"]),
        )
        assert isinstance(read, OrderNews)
        async with database.tenant(shop.tenant) as connection:
            facts = OrderFactRepository(connection, shop.tenant)
            for fact in read.facts:
                await facts.apply(row["integration_id"], fact, utc_now())


async def test_a_missed_order_webhook_is_found_once(database: Database, shop: Shop) -> None:
    orders = [shopify_order(str(number), number) for number in (1, 2, 3)]
    orders.append(shopify_order("9", -5))  # before the connection was made
    with shopify_server(*orders) as server:
        server.page_size = 2
        settings = {"shop": "acme.myshopify.com", "base_url": server.url}
        here = await connect(database, shop, Provider.SHOPIFY, settings, {"access_token": TOKEN})
        engine = Started()
        assert await poll(database, engine) == PollResult(polled=1, found=3)
        stored = await rows(database, inbound_webhooks, of=shop)
        first = min(row["id"] for row in stored)
        assert engine.webhooks == [first], "the others are behind it in the lane"
        assert {row["topic"] for row in stored} == {"orders/updated"}
        await apply_all(database, shop, Provider.SHOPIFY)

        assert await poll(database) == PollResult(polled=1), "nothing new, nothing kept"
        assert all(
            row["duplicates"] == 0 for row in await rows(database, inbound_webhooks, of=shop)
        )

        # The webhook for this change was received.
        changed = shopify_order("2", 60)
        server.orders[1] = changed
        async with database.tenant(shop.tenant) as connection:
            facts = OrderFactRepository(connection, shop.tenant)
            found = await facts.find("2", ANN)
            assert found is not None
            assert (found.state, found.items) == (OrderState.DELIVERED, ("2 × Lampe",))
            assert (found.id, found.refunded and found.refunded.minor) == (
                "gid://shopify/Order/2", 1000,
            )  # fmt: skip
        assert (await poll(database)).found == 0, "a later version that says nothing new"

        server.orders[1].cancelled_at = server.orders[1].updated_at = (
            CONNECTED + timedelta(minutes=90)
        ).isoformat()
        assert (await poll(database)).found == 1
    cursor = await only_row(database, poll_cursors, integration_id=here)
    assert cursor["error_code"] is None

    # The shop is unavailable: the error is recorded, and the shop is polled less often.
    assert (await poll(database)).failed == 1
    cursor = await only_row(database, poll_cursors, integration_id=here)
    assert (cursor["error_code"], cursor["failures"]) == ("action_unreachable", 1)
    assert cursor["position"] != {}
    assert await poll(database) == PollResult()


class WooServer(HttpService):
    def __init__(self) -> None:
        super().__init__()
        self.orders: list[dict[str, object]] = []

    def route(self, request: Request) -> Reply:
        assert request.authorization.startswith("Basic ")
        query = request.query
        assert (query["orderby"], query["order"], query["dates_are_gmt"]) == (
            "modified", "asc", "true",
        )  # fmt: skip
        found = sorted(
            (one for one in self.orders if str(one["date_modified_gmt"]) > query["modified_after"]),
            key=lambda one: str(one["date_modified_gmt"]),
        )
        begin = (int(query["page"]) - 1) * int(query["per_page"])
        return Reply(body=found[begin : begin + int(query["per_page"])])


async def test_a_full_day_is_no_failure_of_the_shop(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier, the connection was marked as failed and polled less and less often."""
    await on_plan(database, shop, Plan.FREE)
    with shopify_server(shopify_order("1", 1)) as server:
        settings = {"shop": "acme.myshopify.com", "base_url": server.url}
        await connect(database, shop, Provider.SHOPIFY, settings, {"access_token": TOKEN})
        with monkeypatch.context() as full:
            full.setattr(webhooks, "DAY_ROWS_WITHOUT_PLAN", 0)
            assert await poll(database) == PollResult(polled=1)
        assert await rows(database, poll_cursors, of=shop) == []

        assert await poll(database) == PollResult(polled=1, found=1)


async def test_orders_of_one_second_are_all_found(database: Database, shop: Shop) -> None:
    with serving(WooServer()) as server:
        server.orders = [
            {
                "id": number, "number": str(number), "status": "completed", "currency": "EUR",
                "total": "49.90", "date_created_gmt": "2026-11-01T10:00:00",
                "date_modified_gmt": "2026-11-02T10:00:00", "billing": {"email": ANN},
                "line_items": [{"name": "Lampe", "quantity": 1}], "refunds": [],
            }
            for number in range(1, 51)
        ]  # fmt: skip
        settings = {"url": "https://shop.example.com", "base_url": server.url}
        keys = {"consumer_key": "ck_1", "consumer_secret": "cs_1"}
        await connect(database, shop, Provider.WOOCOMMERCE, settings, keys)
        assert (await poll(database)).found == 50
        await apply_all(database, shop, Provider.WOOCOMMERCE)
        assert (await poll(database)).found == 0


async def test_a_private_host_is_not_asked(database: Database, shop: Shop) -> None:
    keys = {"consumer_key": "ck_1", "consumer_secret": "cs_1"}
    settings = {"url": "https://127.0.0.1"}
    await connect(database, shop, Provider.WOOCOMMERCE, settings, keys)
    assert (await poll(database)).failed == 1
    cursor = await only_row(database, poll_cursors, client_id=shop.client_id)
    assert cursor["error_code"] == "action_refused", "the guard, and not a host that is away"


async def test_a_missed_comment_is_found_and_one_that_came_is_not(
    database: Database, shop: Shop
) -> None:
    with zendesk_server() as server:
        server.role = "admin"
        ticket = server.open_ticket(ANN)
        now = utc_now()
        settings = {"subdomain": "acme", "email": EMAIL, "base_url": server.url}
        here = await connect(database, shop, Provider.ZENDESK, settings, {"api_token": API_TOKEN})
        told = server.write(ticket, "Where is my order?", now - timedelta(hours=2))
        server.write(ticket, "Hello?", now - timedelta(hours=1))
        async with database.tenant(shop.tenant) as connection:
            key = f"ticket/{ticket}/comment/{told}"
            await InboundMessageRepository(connection, shop.tenant).claim(
                here, key, webhook_id="W", now=now
            )
        assert (await poll(database)).found == 1
        row = await only_row(database, inbound_webhooks, client_id=shop.client_id)
        read = PLATFORMS[Provider.ZENDESK].read(
            InboundRequest({}, row["body"]),
            Identity(row["dedup_key"], row["topic"]),
            EndpointFacts(here, settings),
        )
        assert isinstance(read, InboundTicket)
        assert (read.event.customer_email, read.event.payload["message"]) == (ANN, "Hello?")
        assert read.message_key == f"ticket/{ticket}/comment/{told + 1}"
        assert (await poll(database)).found == 0
        server.write(ticket, "We look into it.", now - timedelta(minutes=5), by_staff=True)
        assert (await poll(database)).found == 1

        server.role = "agent"
        assert (await poll(database)).failed == 1
    cursor = await only_row(database, poll_cursors, integration_id=here)
    assert cursor["error_code"] == "action_forbidden"
