"""The integration pages: credentials are never shown again."""

import dataclasses
from pathlib import Path

from adapters.demo.folder import DemoShopFolder
from adapters.system import new_ulid
from domain.tenants.client import Role
from store.integrations.tables import integrations
from tests.support.content.content import TOKEN
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import PageVisitor, at_pages
from tests.support.tenants.shop import Shop, open_shop

LIST = "/app/integrations"
GENERIC = f"{LIST}/new/generic"
SHOPIFY = f"{LIST}/new/shopify"


async def _generic(owner: PageVisitor) -> str:
    made = await owner.send(GENERIC, GENERIC)
    return made.headers["location"].partition("?")[0]


async def test_a_shop_is_connected_tried_and_disconnected(front: LiveEngine, shop: Shop) -> None:
    fields = {"set.shop": "acme.myshopify.com", "secret:access_token": TOKEN}
    async with at_pages(front, shop) as owner:
        assert "Connect your shop first" in await owner.see(LIST)
        made = await owner.send(SHOPIFY, SHOPIFY, fields)
        one = made.headers["location"].partition("?")[0]
        page = await owner.follow(made)
        assert "not working yet" in page
        assert "acme.myshopify.com" in page
        assert TOKEN not in page
        assert "acme.myshopify.com" in await owner.see(LIST)

        assert "not working yet" in await owner.follow(await owner.send(one, f"{one}/test"))
        gone = await owner.follow(await owner.send(one, f"{one}/disconnect"))
        assert "Secrets erased." in gone
        assert "Disconnected</span>" in gone


async def test_a_wrong_field_is_named_and_no_secret_kept(front: LiveEngine, shop: Shop) -> None:
    fields = {"set.shop": "acme.example.com", "secret:access_token": TOKEN}
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send(SHOPIFY, SHOPIFY, fields))
        assert "name.myshopify.com expected" in page
        assert 'value="acme.example.com"' in page
        assert TOKEN not in page
        assert (await owner.http.get(f"{LIST}/new/demo_shop")).status_code == 404


async def test_an_address_is_shown_once(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        one = await _generic(owner)
        address = f"{one}/inbound"
        opened = await owner.send(one, address, {"mapping": "message = data.body"})
        assert opened.status_code == 200
        assert "/api/webhooks/generic/" in opened.text
        assert "whsec_" in opened.text
        again = await owner.see(one)
        assert "/api/webhooks/generic/" not in again
        assert "data.body" in again

        rotated = await owner.send(one, f"{address}/rotate", {"at_once": "on"})
        assert "whsec_" in rotated.text
        closed = await owner.follow(await owner.send(one, f"{address}/close"))
        assert "URL closed." in closed


async def test_the_demo_shop_is_ones_own(front: LiveEngine, shop: Shop, tmp_path: Path) -> None:
    resources = front.app.state.resources
    async with at_pages(front, shop) as owner:
        assert "demo-shop" not in await owner.see(LIST)
        front.app.state.resources = dataclasses.replace(
            resources, demo_shops=DemoShopFolder(tmp_path / "shops")
        )
        try:
            page = await owner.follow(await owner.send(LIST, f"{LIST}/demo-shop"))
            assert "demo-shop" not in await owner.see(LIST)
        finally:
            front.app.state.resources = resources
    assert "#1042" in page
    assert str(tmp_path) not in page
    (row,) = await rows(front.database, integrations, of=shop)
    assert row["settings"] == {"path": str(tmp_path / "shops" / f"{shop.client_id}.sqlite")}
    assert [one.name for one in sorted((tmp_path / "shops").iterdir())] == [
        f"{shop.client_id}.sqlite"
    ]


async def test_who_may_and_whose(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        one = await _generic(owner)
        assert (await owner.http.get(f"{LIST}/{new_ulid()}")).status_code == 404
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert "/disconnect" not in await viewer.see(one)
        assert (await viewer.http.get(SHOPIFY)).status_code == 403
    other = await open_shop(front.database)
    async with at_pages(front, other) as stranger:
        assert (await stranger.http.get(one)).status_code == 404
