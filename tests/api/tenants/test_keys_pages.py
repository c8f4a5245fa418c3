"""The key pages: created and shown once, renamed, revoked after typing the name."""

import re
import secrets

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.tenants.api_key import KEY_BYTES, MCP, new_key
from domain.tenants.client import Role
from store.tenants.keys import KeyRepository
from store.tenants.tables import api_keys
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import Shop, open_shop

LIST = "/app/keys"
NEW = f"{LIST}/new"


async def test_a_key_is_shown_once_works_and_is_revoked_by_its_name(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        form = {**form_of(await owner.see(NEW), LIST), "label": "Till <b>1</b>"}
        made = await owner.http.post(LIST, data=form)
        text = re.search(r"ak_[0-9a-f]{32}", made.text)
        assert made.status_code == 200
        assert text
        again = await owner.follow(await owner.http.post(LIST, data=form))
        assert "Already created." in again

        assert f"Bearer {text.group()}" in made.text
        assert shop.client_id in made.text, "the example call is complete"

        listed = await owner.see(LIST)
        assert shop.client_id in listed
        assert "Till &lt;b&gt;1&lt;/b&gt;" in listed
        assert f"{shop.client_id.lower()}@example.com" in listed
        assert text.group() not in listed
        found = re.search(rf'href="({LIST}/\w+)" dir="auto">Till', listed)
        assert found
        key = found.group(1)

        renamed = await owner.follow(await owner.send(key, key, {"label": "Till 2"}))
        assert "Renamed." in renamed
        wrong = await owner.follow(await owner.send(key, f"{key}/revoke", {"confirm": "Till 1"}))
        assert "the name we asked for" in wrong
        gone = await owner.follow(await owner.send(key, f"{key}/revoke", {"confirm": "Till 2"}))
        assert "“Till 2” was revoked" in gone
        assert "Till 2</a>" in await owner.see(f"{LIST}/revoked")
        assert f"{key}/revoke" not in await owner.see(key)


async def test_the_maker_of_a_key_is_shown_without_a_login_or_an_id(
    front: LiveEngine, shop: Shop
) -> None:
    gone = new_ulid()
    async with at_pages(front, shop) as owner:
        for maker, words in (
            ("operator:root", "the operator of this installation"),
            (gone, "someone no longer in the team"),
        ):
            async with front.database.tenant(shop.tenant) as connection:
                await connection.execute(sa.update(api_keys).values(created_by=maker))
            for path in (LIST, f"{LIST}/{shop.key_id}"):
                page = await owner.see(path)
                assert words in page
                assert maker not in page


async def test_an_ai_client_stands_beside_the_settings_to_paste(
    front: LiveEngine, shop: Shop
) -> None:
    _, material = new_key(secrets.token_bytes(KEY_BYTES), MCP)
    async with front.database.service() as connection:
        await KeyRepository(connection).create(
            key_id=(key_id := new_ulid()),
            client_id=shop.client_id,
            label="Claude",
            material=material,
            now=utc_now(),
            created_by=shop.owner_user_id,
            scopes=["content:read"],
            user_id=shop.owner_user_id,
            oauth_client_id="https://claude.example/client.json",
        )
    async with at_pages(front, shop) as owner:
        page = await owner.see(f"{LIST}/mcp")
        assert "Claude</a>" in page
        assert "/api/mcp" in page
        assert "rights: 1" in page
        assert "Claude" not in await owner.see(LIST)
        assert "Read your articles and templates" in await owner.see(f"{LIST}/{key_id}")


async def test_a_label_that_breaks_the_rule_comes_back(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send(NEW, LIST, {"label": " "}))
        assert "Enter a name of 1 to 100 characters" in page


async def test_keys_are_for_managers_of_their_client(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    async with at_pages(front, shop, Role.AGENT) as agent:
        assert (await agent.http.get(LIST)).status_code == 403
        assert f'href="{LIST}"' not in await agent.see("/app")
    async with at_pages(front, shop) as owner:
        assert (await owner.http.get(f"{LIST}/{other.key_id}")).status_code == 404
