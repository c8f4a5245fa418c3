"""The use cases for webhooks: the same for members, operators and the demo."""

from datetime import timedelta

import pytest
import structlog

from adapters.system import new_ulid
from domain.billing.errors import PlanRequired
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from domain.tenants.client import Plan, Role
from domain.tenants.errors import RoleRequired
from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.signature import SECRET_BYTES, secret_of
from services.core.unit_of_work import UnitOfWork
from services.integrations.connections import connect_integration
from services.webhooks.subscriptions import (
    NewSubscription,
    SecretShown,
    change_webhook,
    create_webhook,
    delete_webhook,
    enable_webhook,
    rotate_webhook,
)
from store.core.database import Database
from store.metadata import metadata
from store.tenants.tables import clients
from store.webhooks.subscriptions import WebhookChange
from store.webhooks.tables import webhook_subscriptions
from tests.support.core.rows import rows
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop
from tests.support.webhooks.deliveries import Hooks
from tests.support.webhooks.webhooks import SEALER, URL, subscribe

OPERATOR = Actor.operator("operator:test")
SYSTEM = Actor.system("demo")
BYTES = bytes(range(SECRET_BYTES))
HERE = "https://127.0.0.1:9443/"


async def create(
    work: UnitOfWork, actor: Actor = OPERATOR, url: str = URL, *, allow_private: bool = False
) -> SecretShown:
    wanted = NewSubscription(url, ("*",))
    return await create_webhook(
        work, actor, wanted, sealer=SEALER, random_bytes=BYTES, allow_private=allow_private
    )


async def test_an_operators_work_is_in_the_log_too(database: Database, shop: Shop) -> None:
    """Earlier, it was not logged."""
    with structlog.testing.capture_logs() as lines:
        async with units_on(database).of(shop.tenant) as work:
            made = await create(work)
            assert lines == [], "not before the commit"
    assert made.secret == secret_of(BYTES)
    assert made.webhook.label == "hooks.example.com"
    assert lines == [
        {
            "event": "webhook created",
            "log_level": "info",
            "client_id": shop.client_id,
            "actor_kind": "operator",
            "user_id": "operator:test",
            "webhook_id": made.webhook.id,
        }
    ]
    assert made.secret not in repr(made)


async def test_secrets_are_stored_encrypted(database: Database, shop: Shop) -> None:
    """No row of this client contains its webhook's or its integration's secret in clear text."""
    token = f"shpat_{new_ulid()}"
    async with units_on(database).of(shop.tenant) as work:
        made = await create(work)
        await connect_integration(
            work,
            OPERATOR,
            Provider.SHOPIFY,
            {"shop": "acme.myshopify.com"},
            {"access_token": token},
            sealer=SEALER,
        )
    tables = [t for t in metadata.tables.values() if t is clients or "client_id" in t.c]
    stored = "".join([str(await rows(database, table, of=shop)) for table in tables])
    assert made.webhook.id in stored
    for secret in (made.secret, made.secret.removeprefix("whsec_"), token):
        assert secret not in stored


async def test_who_may_not(database: Database, shop: Shop) -> None:
    """No route reaches this point; a use case checks every caller."""
    webhook_id = (await subscribe(database, shop)).id
    before = await rows(database, webhook_subscriptions, of=shop)
    agent = Actor.person(new_ulid(), Role.AGENT)
    for actor in (agent, Actor.key(shop.key_id)):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (
                create(work, actor),
                change_webhook(
                    work, actor, webhook_id, WebhookChange(pause=True), allow_private=False
                ),
                enable_webhook(work, actor, webhook_id),
                rotate_webhook(
                    work,
                    actor,
                    webhook_id,
                    overlap=timedelta(0),
                    sealer=SEALER,
                    random_bytes=BYTES,
                ),
                delete_webhook(work, actor, webhook_id),
            ):
                with pytest.raises(RoleRequired):
                    await use_case
    assert await rows(database, webhook_subscriptions, of=shop) == before


@pytest.mark.parametrize("actor", [OPERATOR, SYSTEM])
async def test_an_url_is_checked_whoever_gives_it(
    database: Database, shop: Shop, actor: Actor
) -> None:
    """Earlier, the demo's URL was not."""
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidWebhook):
            await create(work, actor, HERE)
        made = await create(work, actor, HERE, allow_private=True)
        for url in (HERE, "http://hooks.example.com/"):
            with pytest.raises(InvalidWebhook):
                await change_webhook(
                    work, actor, made.webhook.id, WebhookChange(url=url), allow_private=False
                )


@pytest.mark.parametrize("actor", [OPERATOR, SYSTEM])
async def test_the_plan_counts_whoever_asks(database: Database, shop: Shop, actor: Actor) -> None:
    """Earlier, the demo did not check it."""
    await Hooks(database, shop).set_plan(Plan.STARTER)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(PlanRequired):
            await create(work, actor)


async def test_enabling_sends_a_test(database: Database, shop: Shop) -> None:
    """Earlier, the demo sent none."""
    webhook_id = (await subscribe(database, shop)).id
    engine = Recorder()
    async with units_on(database, engine).of(shop.tenant) as work:
        enabled = await enable_webhook(work, SYSTEM, webhook_id)
        assert engine.sent == []
    assert engine.sent == [enabled.test_delivery_id]


async def test_a_rotation_within_an_overlap_ends_it(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        webhook_id = (await create(work)).webhook.id
        ended = [
            (
                await rotate_webhook(
                    work,
                    OPERATOR,
                    webhook_id,
                    overlap=overlap,
                    sealer=SEALER,
                    random_bytes=BYTES,
                )
            ).ended_overlap
            for overlap in (timedelta(hours=1), timedelta(0), timedelta(0))
        ]
    assert ended == [False, True, False]
