"""A user with several clients chooses where a connection belongs, and sees the client's name."""

from typing import Any

import pytest

from adapters.system import utc_now
from domain.tenants.client import Role
from store.integrations.tables import integrations
from store.tenants.members import MemberRepository
from store.tenants.tables import api_keys
from tests.support.content.content import INTEGRATIONS, TOKEN
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import at_pages
from tests.support.integrations.senders import MAIL_SENDER, SENDER
from tests.support.reviews.dashboard import code
from tests.support.tenants.account import KEYS, LABEL
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhook_dashboard import NEW, WEBHOOKS

CONNECT = "/app/integrations/new/shopify"
SHOPIFY: dict[str, Any] = {
    "provider": "shopify",
    "settings": {"shop": "acme.myshopify.com"},
    "credentials": {"access_token": TOKEN},
}


@pytest.fixture
async def other(front: LiveEngine, shop: Shop) -> Shop:
    """A client with the same name, which the owner of `shop` has joined as an admin."""
    other = await open_shop(front.database)
    async with front.database.service() as connection:
        await MemberRepository(connection).add(
            other.client_id, shop.owner_user_id, Role.ADMIN, utc_now()
        )
    return other


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", INTEGRATIONS, SHOPIFY),
        ("POST", KEYS, LABEL),
        ("POST", WEBHOOKS, NEW),
        ("PUT", MAIL_SENDER, SENDER),
    ],
)
async def test_a_route_wants_the_client_named(
    front: LiveEngine,
    owner: dict[str, str],
    other: Shop,
    method: str,
    path: str,
    body: dict[str, Any],
) -> None:
    refused = await front.http.request(method, path, json=body, headers=owner)
    assert code(refused) == (400, "client_id_missing")


async def test_a_named_client_gets_the_connection(
    front: LiveEngine, owner: dict[str, str], other: Shop
) -> None:
    made = await front.http.post(
        KEYS, params={"client_id": other.client_id}, json=LABEL, headers=owner
    )
    assert made.status_code == 201
    stored = await rows(front.database, api_keys, id=made.json()["key"]["id"])
    assert [one["client_id"] for one in stored] == [other.client_id]


async def test_a_person_of_one_client_sees_its_name_and_chooses_nothing(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as visitor:
        page = await visitor.see("/app/keys/new")
        assert 'Shop <strong dir="auto">Boutique</strong>' in page
        assert 'name="into"' not in page
        done = await visitor.send("/app/keys/new", "/app/keys", {"label": "Caisse"})
        assert done.status_code == 200


@pytest.mark.parametrize("chosen", ["own", "joined"])
async def test_a_page_wants_the_client_chosen(
    front: LiveEngine, shop: Shop, other: Shop, chosen: str
) -> None:
    into = shop if chosen == "own" else other
    fields = {"set.shop": "acme.myshopify.com", "secret:access_token": TOKEN}
    async with at_pages(front, shop) as visitor:
        page = await visitor.see(CONNECT)
        owners = [f"{one.client_id.lower()}@example.com" for one in (shop, other)]
        for one, address in zip((shop, other), owners, strict=True):
            assert f'<option value="{one.client_id}">Boutique (owner: {address})' in page
        refused = await visitor.send(CONNECT, CONNECT, fields)
        assert "You belong to several shops. Choose one." in await visitor.follow(refused)
        assert not await rows(front.database, integrations, client_id=into.client_id)

        made_at = await visitor.send(CONNECT, CONNECT, {**fields, "into": into.client_id})
        assert made_at.headers["location"].startswith("/app/integrations/0"), made_at.headers

    (made,) = [
        one
        for client in (shop, other)
        for one in await rows(front.database, integrations, client_id=client.client_id)
    ]
    assert made["client_id"] == into.client_id


async def test_nobody_chooses_a_client_that_is_not_theirs(
    front: LiveEngine, shop: Shop, other: Shop
) -> None:
    stranger = await open_shop(front.database)
    async with at_pages(front, shop) as visitor:
        fields = {"label": "Caisse", "into": stranger.client_id}
        answer = await visitor.send("/app/keys/new", "/app/keys", fields)
        assert answer.status_code == 403
    stored = await rows(front.database, api_keys, client_id=stranger.client_id)
    assert [one["id"] for one in stored] == [stranger.key_id]
