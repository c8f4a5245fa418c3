"""The pages of the inbound log: received and rejected webhooks, and reprocessing."""

from typing import Any

from adapters.system import utc_now
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.inbound.log import a_sender, logged, refused
from tests.support.tenants.shop import Shop, open_shop

LOG = "/app/inbound"


async def test_what_came_in_is_listed_and_filtered(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "No webhooks received yet" in await owner.see(LOG)
        sender = await a_sender(front.database, shop)
        await logged(front.database, shop, sender, outcome="order_updated", reference="1001")
        failed = await logged(
            front.database, shop, sender, state="failed", outcome=None, reason="no_order"
        )
        await refused(
            front.database, shop, sender, reason="signature_wrong", hour=utc_now(), count=3
        )
        page = await owner.see(LOG)
        assert "Order updated" in page
        assert "<b>3</b>" in page
        only = await owner.see(LOG, state="failed", provider="")
        assert f"{LOG}/{failed}" in only
        assert only.count("<tr>") == 2
        assert "Wrong signature" in await owner.see(f"{LOG}/refusals")
        assert "No sync yet" in await owner.see(f"{LOG}/polls")


async def test_one_shows_its_text_to_managers_and_is_processed_again(
    front: LiveEngine, shop: Shop
) -> None:
    fields: dict[str, Any] = {
        "state": "failed",
        "outcome": None,
        "kind": "ignored",
        "body": b'{"note":"<script>alert(1)</script>"}',
    }
    one = f"{LOG}/{await logged(front.database, shop, **fields)}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        page = await agent.see(one)
        assert "Only owners and admins see headers" in page
        assert f"{one}/replay" not in page
        assert "alert(1)" not in page
    async with at_pages(front, shop) as owner:
        page = await owner.see(one)
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        again = await owner.follow(await owner.send(one, f"{one}/replay"))
        assert "Processing started" in again


async def test_another_clients_webhook_is_not_there(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    theirs = await logged(front.database, other)
    async with at_pages(front, shop) as owner:
        assert (await owner.http.get(f"{LOG}/{theirs}")).status_code == 404
