"""Rows of the inbound log."""

from typing import Any

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from store.core.database import Database
from store.inbound.tables import inbound_refusals, inbound_webhooks
from store.integrations.integrations import IntegrationRepository
from tests.support.tenants.shop import Shop


async def a_sender(
    database: Database, shop: Shop, provider: Provider = Provider.WOOCOMMERCE
) -> str:
    """Create an integration that can receive webhooks, and return its id."""
    integration = Integration(id=new_ulid(), provider=provider, sealed="")
    async with database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).connect(
            integration, utc_now(), new_ulid
        )
    return integration.id


async def logged(
    database: Database, shop: Shop, integration_id: str | None = None, **fields: Any
) -> str:
    """Create a processed webhook without an effect, with `fields` replaced, and return its id."""
    webhook_id = fields.pop("id", None) or new_ulid()
    row = {
        "integration_id": integration_id or await a_sender(database, shop),
        "provider": "woocommerce",
        "dedup_key": webhook_id,
        "body_digest": b"\0" * 32,
        "topic": "order.updated",
        "kind": "fact",
        "body": b"{}",
        "state": "done",
        "outcome": "ignored",
        "created_at": utc_now(),
        **fields,
    }
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(inbound_webhooks).values(client_id=shop.client_id, id=webhook_id, **row)
        )
    return webhook_id


async def refused(database: Database, shop: Shop, integration_id: str, **fields: Any) -> None:
    """Create a count of rejected requests to an address in one hour."""
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(inbound_refusals).values(
                client_id=shop.client_id,
                integration_id=integration_id,
                created_at=utc_now(),
                last_at=utc_now(),
                **fields,
            )
        )
