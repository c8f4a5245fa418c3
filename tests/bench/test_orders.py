"""The benchmark's caller of the gateway is the customer who placed the order."""

from pathlib import Path

import httpx

from adapters.demo.shop import DemoShop
from adapters.system import new_ulid, utc_now
from bench.orders import Askers, stock
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider


async def test_every_asker_has_an_order_of_their_own(tmp_path: Path) -> None:
    path, askers = tmp_path / "shop.db", Askers()
    stock(path, utc_now())
    integration = Integration(
        id=new_ulid(), provider=Provider.DEMO_SHOP, settings={"path": str(path)}, sealed=""
    )
    asked = set()
    async with httpx.AsyncClient() as http:
        shop = DemoShop.of(integration, {}, http)
        for _ in range(1_000):
            email = str(askers.shop_ticket().body["customer_email"])
            order = await shop.find_order(None, email)
            assert order is not None
            assert order.number in str(askers.shop_ticket().body["message"])
            assert order.number in str(askers.mail().body["html_body"])
            assert email in str(askers.mail().body["from"])
            asked.add(email)
            askers.next_of_all()
    assert len(asked) == 1_000
