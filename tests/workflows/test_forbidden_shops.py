"""A 403 on the way to a shop, for example from a firewall, is an outage: the connection stays
connected."""

import json

import pytest

from domain.integrations.integration import BASE_URL
from domain.integrations.providers import Provider
from store.dashboard.overview import read_overview
from store.integrations.tables import integrations
from store.reviews.tables import escalation_tickets
from tests.support.agent.acting import CUSTOMER, connect
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.servers.http_service import Fault
from tests.support.servers.shopify import TOKEN, shopify_server
from tests.support.tenants.shop import ORDER_QUESTION, open_shop
from tests.support.webhooks.told import told_events

pytestmark = pytest.mark.own_database


async def test_a_firewall_before_a_shop_disconnects_nothing(acting: LiveEngine) -> None:
    shop = await open_shop(acting.database)
    with shopify_server() as shopify:
        settings = {"shop": "demo.myshopify.com", BASE_URL: shopify.url}
        secrets = json.dumps({"access_token": TOKEN})
        shop_id = await connect(acting, shop, Provider.SHOPIFY, settings, secrets)
        shopify.fail_next(Fault.STATUS, "FindOrder", status=403)
        async with acting.working():
            asked = {"customer_email": CUSTOMER, "message": ORDER_QUESTION}
            answer = await acting.post(shop, **asked, ticket_id="1")

            assert answer.json()["status"] == "needs_review"
            waiting = await only_row(acting.database, escalation_tickets)
            assert waiting["reason"] == "tool_failure"
            kept = await only_row(acting.database, integrations)
            assert (kept["status"], kept["error_code"]) == ("connected", "action_forbidden")
            assert not await told_events(acting.database, of=shop, event="integration.disconnected")
            async with acting.database.reading(shop.tenant) as connection:
                (trouble,) = (await read_overview(connection, shop.tenant)).troubles
            assert (trouble.kind, trouble.record_id) == ("connection_forbidden", shop_id)

            await acting.post(shop, **asked, ticket_id="2")

    kept = await only_row(acting.database, integrations)
    assert (kept["status"], kept["error_code"]) == ("connected", None)
