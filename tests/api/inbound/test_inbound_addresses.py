"""The addresses for webhooks: opened, rotated and closed by people, and the installation's own."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.core.ids import TenantId
from domain.integrations.integration import DUTIES_LAST
from domain.integrations.providers import Provider
from store.inbound.tables import inbound_endpoints
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.inbound.addresses import ENDPOINT, PLATFORM_SECRET, opened
from tests.support.inbound.arriving import (
    SHOPIFY_NAME,
    by_shopify,
    by_standard,
    by_stripe,
    listening,
    status_of,
    taken,
)
from tests.support.inbound.stored import listen_to
from tests.support.tenants.shop import Shop, open_shop

RECEIVED = (200, "received")
REFUSED = (401, "inbound_refused")
CONNECT_KEY = "whsec_of_the_platform"


async def test_rotation(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """The address and secret before are good for a while, never a third pair; closed is closed."""
    first = await listening(front, shop, owner, Provider.GENERIC)
    path = ENDPOINT.format(integration_id=first.integration_id)
    body = {"type": "message.created", "message": "Bonjour"}

    async def tries(*addresses: tuple[str, str]) -> list[int]:
        return [
            (await front.http.post(at, **by_standard(body, secret=secret))).status_code
            for at, secret in addresses
        ]

    pairs = [(first.path, first.secret)]
    for hours in (24, 24, 0):
        told = await front.http.post(path + "/rotate", json={"overlap_hours": hours}, headers=owner)
        url = told.json()["url"]
        pairs.append((url[url.index("/api/") :], told.json()["secret"]))
        good = 2 if hours else 1
        expected = [401] * (len(pairs) - good) + [200] * good
        assert await tries(*pairs) == expected

    assert (await front.http.post(path, json={}, headers=owner)).status_code == 409
    shown = (await front.http.get(path, headers=owner)).text
    assert not any(secret in shown or at[-43:] in shown for at, secret in pairs)
    assert (await front.http.delete(path, headers=owner)).status_code == 204
    assert await tries(pairs[-1]) == [401]


async def test_a_secret_that_the_platform_gives_out_later(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Until it is there everything is refused; of an ended connection it takes no news."""
    tenant = TenantId(shop.client_id)
    async with front.database.tenant(tenant) as connection:
        integration_id = await listen_to(connection, tenant, Provider.SHOPIFY)
    told = await opened(front, owner, integration_id)
    path = told["url"][told["url"].index("/api/") :]
    assert told["secret"] is None
    for expected in (REFUSED, RECEIVED):
        answer = await front.http.post(path, **by_shopify())
        assert status_of(answer) == expected
        put = ENDPOINT.format(integration_id=integration_id) + "/secret"
        await front.http.put(put, json={"secret": PLATFORM_SECRET}, headers=owner)

    ended = await front.http.delete(f"/api/dashboard/integrations/{integration_id}", headers=owner)

    assert ended.status_code == 204
    answer = await front.http.post(path, **by_shopify())
    assert status_of(answer) == REFUSED


async def test_an_ended_address_takes_duties_for_a_hundred_days(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """A shop's redaction comes two days after its app was removed."""
    there = await listening(front, shop, owner)
    plain = await listening(front, shop, owner, Provider.GENERIC)
    for one in (there, plain):
        path = f"/api/dashboard/integrations/{one.integration_id}"
        assert (await front.http.delete(path, headers=owner)).status_code == 204

    async def tells(topic: str, secret: str = there.secret) -> tuple[int, str]:
        redact = by_shopify({"shop_domain": SHOPIFY_NAME}, topic=topic, secret=secret)
        return status_of(await front.http.post(there.path, **redact))

    assert await tells("shop/redact") == RECEIVED
    assert await tells("orders/updated") == REFUSED
    assert await tells("shop/redact", "another-secret") == REFUSED
    assert [row["topic"] for row in await taken(front, shop)] == ["shop/redact"]
    (kept,) = await rows(front.database, inbound_endpoints, client_id=shop.client_id)
    assert kept["integration_id"] == there.integration_id
    await ended(front, there.integration_id, DUTIES_LAST + timedelta(seconds=1))
    assert await tells("shop/redact") == REFUSED


async def ended(front: LiveEngine, integration_id: str, ago: timedelta) -> None:
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(integrations)
            .where(integrations.c.id == integration_id)
            .values(disconnected_at=utc_now() - ago)
        )


@pytest.mark.parametrize("wrong", [{"secret": "short"}, {"mapping": {"message": "a.b"}}])
async def test_what_an_address_is_not_opened_with(
    front: LiveEngine, shop: Shop, owner: dict[str, str], wrong: dict[str, Any]
) -> None:
    tenant = TenantId(shop.client_id)
    async with front.database.tenant(tenant) as connection:
        integration_id = await listen_to(connection, tenant, Provider.SHOPIFY)
    path = ENDPOINT.format(integration_id=integration_id)

    answer = await front.http.post(path, json=wrong, headers=owner)

    assert status_of(answer) == (400, "invalid_endpoint")
    assert next(iter(wrong)) in answer.json()["error"]


@pytest.fixture
def app_secrets(front: LiveEngine) -> LiveEngine:
    """An installation with a Shopify app and a Stripe platform of its own; the app's secret is
    being changed."""
    resources = front.app.state.resources
    secret = type(resources.settings.seal.key)
    inbound = resources.settings.inbound.model_copy(
        update={
            "shopify_app_secret": secret("new-secret,old-secret"),
            "stripe_connect_webhook_secret": secret(CONNECT_KEY),
        }
    )
    settings = resources.settings.model_copy(update={"inbound": inbound})
    front.app.state.resources = replace(resources, settings=settings)
    return front


async def test_of_the_installation(app_secrets: LiveEngine, shop: Shop) -> None:
    """A client gets what names an account that its own credentials have opened, and nobody else."""
    front, name = app_secrets, f"{new_ulid().lower()}.myshopify.com"
    other = await open_shop(front.database)
    claims = await open_shop(front.database)
    for one in (shop, other, claims):
        tenant = TenantId(one.client_id)
        async with front.database.tenant(tenant) as connection:
            integration_id = await listen_to(connection, tenant, Provider.SHOPIFY)
            if one is not claims:
                await IntegrationRepository(connection, tenant).prove(integration_id, name)
    address = "/api/webhooks/shopify"

    good = by_shopify(secret="old-secret", shop=name, event_id="event-1")
    lying = by_shopify({"shop_domain": SHOPIFY_NAME}, secret="new-secret", shop=name)
    answers = [
        await front.http.post(address, **one)
        for one in (good, good, by_shopify(secret="new-secret", shop="x.myshopify.com"))
    ]
    wrong = [await front.http.post(address, **one) for one in (by_shopify(shop=name), lying)]

    assert [status_of(answer) for answer in answers] == [RECEIVED] * 3
    assert [status_of(answer) for answer in wrong] == [REFUSED] * 2
    kept = [await taken(front, one) for one in (shop, other, claims)]
    assert [[row["duplicates"] for row in rows_] for rows_ in kept] == [[1], [1], []]


async def test_of_the_installations_stripe_platform(app_secrets: LiveEngine, shop: Shop) -> None:
    """The client is found by the event's account, once its own key has opened that account."""
    front, account, tenant = app_secrets, f"acct_{new_ulid()}", TenantId(shop.client_id)
    async with front.database.tenant(tenant) as connection:
        integration_id = await listen_to(connection, tenant, Provider.STRIPE)
        await IntegrationRepository(connection, tenant).prove(integration_id, account)
    event = {"id": "evt_1", "object": "event", "type": "charge.refunded", "account": account}

    async def tells(body: dict[str, Any], key: str = CONNECT_KEY) -> tuple[int, str]:
        path = "/api/webhooks/stripe"
        return status_of(await front.http.post(path, **by_stripe(body, secret=key)))

    others = ({**event, "account": "acct_other"}, {"id": "evt_2", "type": "charge.refunded"})
    assert [await tells(body) for body in (event, event, *others)] == [RECEIVED] * 4
    assert await tells(event, "another-secret") == (400, "inbound_refused")
    (kept,) = await taken(front, shop)
    assert (kept["integration_id"], kept["dedup_key"]) == (integration_id, "evt_1")
    assert (kept["kind"], kept["duplicates"]) == ("fact", 1)


async def test_without_a_secret_the_installation_has_no_address(front: LiveEngine) -> None:
    for provider in ("shopify", "stripe"):
        absent = await front.http.post(f"/api/webhooks/{provider}", content=b"{}")
        assert status_of(absent) == (404, "inbound_address_unknown")


async def test_a_shop_that_left_is_told_its_duties_alone(
    app_secrets: LiveEngine, shop: Shop
) -> None:
    """And one that came back is told everything; credentials that ended prove nothing new."""
    front, name = app_secrets, f"{new_ulid().lower()}.myshopify.com"
    tenant, ids = TenantId(shop.client_id), []
    async with front.database.tenant(tenant) as connection:
        repository = IntegrationRepository(connection, tenant)
        for proved in (True, False, True):
            ids.append(await listen_to(connection, tenant, Provider.SHOPIFY))
            if proved:
                await repository.prove(ids[-1], name)
        await repository.prove(ids[1], name)  # it has ended
    left, _, live = ids

    async def told(topic: str) -> list[tuple[str, str]]:
        before = len(await taken(front, shop))
        webhook = by_shopify(
            {"shop_domain": name}, secret="new-secret", shop=name, topic=topic
        )  # fmt: skip
        assert status_of(await front.http.post("/api/webhooks/shopify", **webhook)) == RECEIVED
        came = (await taken(front, shop))[before:]
        return sorted((row["integration_id"], row["kind"]) for row in came)

    assert await told("orders/updated") == [(live, "fact")]
    assert await told("shop/redact") == [(left, "duty"), (live, "duty")]
    await ended(front, left, DUTIES_LAST + timedelta(seconds=1))
    assert await told("customers/redact") == [(live, "duty")]


async def test_a_client_that_is_being_erased_takes_nothing(
    app_secrets: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """What still came in would be kept after its table was emptied."""
    front, name = app_secrets, f"{new_ulid().lower()}.myshopify.com"
    at = await listening(front, shop, owner, Provider.SHOPIFY)
    tenant = TenantId(shop.client_id)
    async with front.database.tenant(tenant) as connection:
        await IntegrationRepository(connection, tenant).prove(at.integration_id, name)
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == shop.client_id).values(closed_at=utc_now())
        )

    answers = [
        await front.http.post(at.path, **by_shopify(secret=at.secret)),
        await front.http.post(
            "/api/webhooks/shopify", **by_shopify(secret="new-secret", shop=name)
        ),
    ]

    assert [status_of(answer) for answer in answers] == [REFUSED, RECEIVED]
    assert await taken(front, shop) == []
