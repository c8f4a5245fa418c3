"""Inbound addresses: opened, rotated and closed by users, and the installation's own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.agent.look_up import LookUp
from activities.agent.order_search import OrderSearch
from activities.inbound.poll import PollIntegrations
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.system import new_ulid, utc_now
from domain.agent.contracts import LookUpInput
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.polling import PollInput
from domain.integrations.integration import COMPLIANCE_REQUESTS_LAST
from domain.integrations.providers import Provider
from domain.integrations.trial import Problem
from domain.tenants.actor import Actor
from domain.tenants.client import Plan
from services.integrations.trials import connect_and_try, try_integration
from store.inbound import webhooks
from store.inbound.tables import inbound_endpoints
from store.intake.tables import engine_events
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.reviews.tables import escalation_tickets
from store.tenants.tables import clients
from tests.support.agent.policy_context import an_event
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.inbound.addresses import ENDPOINT, PLATFORM_SECRET, opened
from tests.support.inbound.arriving import (
    SHOPIFY_NAME,
    by_shopify,
    by_standard,
    by_stripe,
    listening,
    order_of,
    status_of,
    taken,
)
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.intake.admission import on_plan
from tests.support.reviews.reviews import open_review
from tests.support.servers.http_service import Fault
from tests.support.servers.shopify import TOKEN, ShopifyServer, shopify_server
from tests.support.tenants.shop import Shop, open_shop

OPERATOR = Actor.operator("operator:test")
RECEIVED = (200, "received")
REFUSED = (401, "inbound_refused")
CONNECT_KEY = "whsec_of_the_platform"
APP = "/api/webhooks/shopify"


def by_app(body: dict[str, Any] | bytes, shop: str, **more: Any) -> dict[str, Any]:
    """Return a request that the installation's own Shopify app signs."""
    return by_shopify(body, secret="new-secret", shop=shop, **more)


async def test_rotation(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """The previous address and secret remain valid for a while, but never a third pair. Closed is
    final."""
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
    """Until it is stored, every request is rejected; an ended connection accepts no events."""
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
    """A shop's redaction request arrives two days after its app was removed."""
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
    await ended(front, there.integration_id, COMPLIANCE_REQUESTS_LAST + timedelta(seconds=1))
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
    """An installation with its own Shopify app and Stripe platform, during a rotation of the app's
    secret."""
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
    """A client receives webhooks for an account only if its own credentials opened that account."""
    front, name = app_secrets, f"{new_ulid().lower()}.myshopify.com"
    other = await open_shop(front.database)
    claims = await open_shop(front.database)
    for one in (shop, other, claims):
        tenant = TenantId(one.client_id)
        async with front.database.tenant(tenant) as connection:
            integration_id = await listen_to(connection, tenant, Provider.SHOPIFY)
            if one is not claims:
                await IntegrationRepository(connection, tenant).prove(integration_id, name)
    address = APP

    good = by_shopify(order_of(name), secret="old-secret", shop=name, event_id="event-1")
    lying = by_shopify({"shop_domain": SHOPIFY_NAME}, secret="new-secret", shop=name)
    answers = [
        await front.http.post(address, **one)
        for one in (good, good, by_shopify(secret="new-secret", shop="x.myshopify.com"))
    ]
    unsigned = by_shopify(order_of(name), shop=name)
    wrong = [await front.http.post(address, **one) for one in (unsigned, lying)]

    assert [status_of(answer) for answer in answers] == [RECEIVED] * 3
    assert [status_of(answer) for answer in wrong] == [REFUSED] * 2
    kept = [await taken(front, one) for one in (shop, other, claims)]
    assert [[row["duplicates"] for row in rows_] for rows_ in kept] == [[1], [1], []]


async def test_a_full_client_keeps_no_webhook_from_the_shops_other_client(
    app_secrets: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    front, name = app_secrets, f"{new_ulid().lower()}.myshopify.com"
    other = await open_shop(front.database)
    for one in (shop, other):
        await on_plan(front.database, one, Plan.FREE)
        tenant = TenantId(one.client_id)
        async with front.database.tenant(tenant) as connection:
            integration_id = await listen_to(connection, tenant, Provider.SHOPIFY)
            await IntegrationRepository(connection, tenant).prove(integration_id, name)
    full, roomy = (shop, other) if await _is_first(front, shop, name) else (other, shop)
    tenant = TenantId(full.client_id)
    async with front.database.tenant(tenant) as connection:
        (row,) = await rows(front.database, integrations, of=full)
        await store_webhook(connection, tenant, row["id"], b"{}", kind=WebhookKind.FACT)
    monkeypatch.setattr(webhooks, "DAY_ROWS_WITHOUT_PLAN", 2)

    answer = await front.http.post(APP, **by_app(order_of(name), name))

    assert status_of(answer) == (503, "inbound_busy")
    assert [len(await taken(front, one)) for one in (full, roomy)] == [1, 1]


async def _is_first(front: LiveEngine, shop: Shop, name: str) -> bool:
    """Return whether this client is checked first of those with the platform's account."""
    inbound = front.app.state.resources.inbound
    owners = await inbound.owners(Provider.SHOPIFY, name, utc_now())
    return bool(owners[0].tenant == shop.client_id)


async def test_of_the_installations_stripe_platform(app_secrets: LiveEngine, shop: Shop) -> None:
    """The event's account identifies the client, once its own key has opened that account."""
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
    """A shop that has returned receives everything; ended credentials prove nothing new."""
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
        webhook = by_app({"shop_domain": name}, name, topic=topic)
        assert status_of(await front.http.post(APP, **webhook)) == RECEIVED
        came = (await taken(front, shop))[before:]
        return sorted((row["integration_id"], row["kind"]) for row in came)

    assert await told("orders/updated") == [(live, "fact")]
    assert await told("shop/redact") == [(left, "duty"), (live, "duty")]
    await ended(front, left, COMPLIANCE_REQUESTS_LAST + timedelta(seconds=1))
    assert await told("customers/redact") == [(live, "duty")]


async def test_a_client_that_is_being_erased_takes_nothing(
    app_secrets: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Otherwise, new rows would remain after its table was emptied."""
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
        await front.http.post(APP, **by_app(order_of(name), name)),
    ]

    assert [status_of(answer) for answer in answers] == [REFUSED, RECEIVED]
    assert await taken(front, shop) == []


@dataclass(frozen=True)
class Connected:
    """A client's connection to a shop whose server is `server`."""

    front: LiveEngine
    shop: Shop
    id: str
    server: ShopifyServer
    connectors: ConnectorRegistry

    async def tried(self) -> Problem | None:
        units = self.front.app.state.resources.work
        return await try_integration(
            units, OPERATOR, self.shop.tenant, self.id, connectors=self.connectors
        )


Refuse = Callable[[Connected], Awaitable[None]]


async def _agent(one: Connected) -> None:
    database, shop = one.front.database, one.shop
    one.server.fail_next(Fault.STATUS, "FindOrder", status=401)
    review_id = await open_review(database, shop)
    review = await only_row(database, escalation_tickets, id=review_id)
    event = an_event().model_dump(mode="json", exclude={"subject", "text"})
    event["text"] = "I want a refund for order 1042."
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(engine_events).values(unified=event))
    ref = RunRef(client_id=shop.client_id, event_id=new_ulid(), run_id=review["run_id"])
    look_up = LookUp(database, OrderSearch(database, one.connectors), utc_now, new_ulid)
    await look_up.look_up(LookUpInput(ref=ref))


async def _poll(one: Connected) -> None:
    one.server.fail_next(Fault.STATUS, "Changed", status=401)
    await polled(one)


async def polled(one: Connected, minutes: int = 10) -> None:
    """Poll the connection, this many minutes from now."""

    def later() -> datetime:
        return utc_now() + timedelta(minutes=minutes)

    resources = one.front.app.state.resources
    polls = PollIntegrations(
        resources.work, one.connectors, resources.engine, later, platforms=PLATFORMS
    )
    await ActivityEnvironment().run(polls.poll, PollInput())


async def _test(one: Connected) -> None:
    one.server.fail_next(Fault.STATUS, "FindOrder", status=401)
    assert await one.tried() is Problem.NOT_AUTHORIZED


@pytest.mark.parametrize("refuse", [_agent, _poll, _test])
async def test_revoked_credentials_receive_compliance_requests_alone(
    app_secrets: LiveEngine, shop: Shop, refuse: Refuse
) -> None:
    """A former agency's client kept receiving the orders of a shop that had revoked its token."""
    front, name = app_secrets, f"{new_ulid().lower()}.myshopify.com"
    other = await open_shop(front.database)

    async def told(topic: str) -> list[int]:
        before = [len(await taken(front, one)) for one in (shop, other)]
        webhook = by_app({"shop_domain": name, "n": new_ulid()}, name, topic=topic)
        assert status_of(await front.http.post(APP, **webhook)) == RECEIVED
        after = [len(await taken(front, one)) for one in (shop, other)]
        return [now - then for now, then in zip(after, before, strict=True)]

    async with open_client() as http:
        sealer = front.app.state.resources.sealer
        connectors = ConnectorRegistry(sealer, http, allow_loopback=True)
        with shopify_server() as server, shopify_server() as its:
            made = [
                await connect_and_try(
                    front.app.state.resources.work, OPERATOR, one.tenant, Provider.SHOPIFY,
                    settings={"shop": name, "base_url": at.url},
                    credentials={"access_token": TOKEN}, sealer=sealer, connectors=connectors,
                )
                for one, at in ((shop, server), (other, its))
            ]  # fmt: skip
            revoked = Connected(front, shop, made[0].id, server, connectors)
            assert await told("orders/updated") == [1, 1]

            await refuse(revoked)

            assert await told("orders/updated") == [0, 1]
            assert await told("customers/redact") == [1, 1]
            assert await revoked.tried() is None
            assert await told("orders/updated") == [1, 1]


async def test_a_poll_that_is_accepted_again_restores_the_orders(
    app_secrets: LiveEngine, shop: Shop
) -> None:
    """One 401 in error must not end a shop's webhooks until a manager tests the connection."""
    front, name = app_secrets, f"{new_ulid().lower()}.myshopify.com"
    async with open_client() as http:
        sealer = front.app.state.resources.sealer
        connectors = ConnectorRegistry(sealer, http, allow_loopback=True)
        with shopify_server() as server:
            made = await connect_and_try(
                front.app.state.resources.work, OPERATOR, shop.tenant, Provider.SHOPIFY,
                settings={"shop": name, "base_url": server.url},
                credentials={"access_token": TOKEN}, sealer=sealer, connectors=connectors,
            )  # fmt: skip
            one = Connected(front, shop, made.id, server, connectors)
            inbound = front.app.state.resources.inbound
            live = []
            await _poll(one)
            for minutes in (20, 60):
                owners = await inbound.owners(Provider.SHOPIFY, name, utc_now())
                live.append([owner.is_live for owner in owners])
                await polled(one, minutes)
            owners = await inbound.owners(Provider.SHOPIFY, name, utc_now())
            live.append([owner.is_live for owner in owners])
    assert (live[0], live[-1]) == ([False], [True])
