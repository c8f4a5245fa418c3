"""Key rotation: stored secrets are sealed again, and the old key can be removed."""

import pytest

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.inbound.endpoint import seal_endpoint_secret
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from domain.webhooks.secret import seal_secret, unseal_secret
from domain.webhooks.webhook import RetryPolicy
from domain.widget.widget import seal_widget_secret, unseal_widget_secret
from services.privacy.sealed import reseal_everything
from store.core.database import Database
from store.inbound.endpoints import (
    EndpointChange,
    EndpointRepository,
    NewEndpoint,
    find_endpoint,
)
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.privacy.sealed import Resealed
from store.webhooks.subscriptions import NewWebhook, WebhookRepository
from store.widget.widgets import WidgetRepository
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

OLD, NEW = new_seal_key(), new_seal_key()
SECRETS = ("whsec_1", "whsec_2")
TOKEN_DIGEST = b"d" * 32


async def stored(database: Database, shop: Shop) -> str:
    """Store an integration, a webhook, a widget and an address with two secrets each, all sealed
    with the old key. Return the webhook's id."""
    sealer, now, webhook_id = FernetSealer(OLD), utc_now(), new_ulid()
    first, second = (seal_secret(sealer, shop.tenant, webhook_id, one) for one in SECRETS)
    later = now.replace(year=now.year + 1)
    of_widget = [seal_widget_secret(sealer, shop.tenant, one) for one in SECRETS]
    integration = Integration(
        id=new_ulid(), provider=Provider.STRIPE, settings={}, sealed=sealer.seal("key")
    )
    of_address = [seal_endpoint_secret(sealer, shop.tenant, integration.id, one) for one in SECRETS]
    async with database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).connect(integration, now, new_ulid)
        endpoints = EndpointRepository(connection, shop.tenant)
        await endpoints.open(NewEndpoint(integration.id, TOKEN_DIGEST, of_address[0]), now)
        await endpoints.rotate(
            integration.id, EndpointChange(None, of_address[1]), previous_until=later, now=now
        )
        webhooks = WebhookRepository(connection, shop.tenant)
        await webhooks.create(
            NewWebhook(webhook_id, "l", "https://a.example/", ("*",), RetryPolicy.NONE, first), now
        )
        await webhooks.rotate(webhook_id, second, previous_until=later)
        for one in of_widget:
            await WidgetRepository(connection, shop.tenant).rotate_secret(
                one, previous_until=later, now=now
            )
    return webhook_id


async def readable(database: Database, shop: Shop, webhook_id: str, keys: str) -> bool:
    """Return whether all secrets can be opened with only these keys."""
    sealer = FernetSealer(keys)
    row = await only_row(database, integrations, of=shop)
    async with database.tenant(shop.tenant) as connection:
        sealed = await WebhookRepository(connection, shop.tenant).sealed_secrets(
            webhook_id, utc_now()
        )
        widget = await WidgetRepository(connection, shop.tenant).read()
    async with database.unscoped() as connection:
        address = await find_endpoint(connection, TOKEN_DIGEST, utc_now())
    try:
        opened = [unseal_secret(sealer, shop.tenant, webhook_id, one) for one in sealed]
        opened += [
            unseal_widget_secret(sealer, shop.tenant, one)
            for one in widget.sealed_secrets(utc_now())
        ]
        opened += address.secrets(sealer) if address else ()
        return (sealer.unseal(row["sealed"]), *reversed(opened)) == ("key", *SECRETS * 3)
    except ValueError:
        return False


async def sealed_again(database: Database, keys: str) -> Resealed:
    async with units_on(database).everywhere() as work:
        return await reseal_everything(work, Actor.operator("operator"), FernetSealer(keys))


async def test_the_old_key_can_go(database: Database, shop: Shop) -> None:
    webhook_id = await stored(database, shop)
    assert not await readable(database, shop, webhook_id, NEW)

    assert await sealed_again(database, f"{NEW},{OLD}") == Resealed(resealed=7, unreadable=0)
    assert await readable(database, shop, webhook_id, NEW)
    assert not await readable(database, shop, webhook_id, OLD)


async def test_what_cannot_be_read_is_left(database: Database, shop: Shop) -> None:
    webhook_id = await stored(database, shop)

    assert await sealed_again(database, NEW) == Resealed(resealed=0, unreadable=7)
    assert await readable(database, shop, webhook_id, OLD)


async def test_no_role_of_a_client_reseals(database: Database, shop: Shop) -> None:
    webhook_id = await stored(database, shop)
    async with units_on(database).everywhere() as work:
        with pytest.raises(RoleRequired):
            await reseal_everything(work, Actor.person("o", Role.OWNER), FernetSealer(NEW))
    assert await readable(database, shop, webhook_id, OLD)
