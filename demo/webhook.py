"""The demo shop's webhook: told of everything, for as long as its receiver is there."""

import secrets
from datetime import datetime

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid
from adapters.temporal.client import TemporalEngine, connect
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.webhooks.delivery import DeliveryStatus
from domain.webhooks.errors import WebhookNotFound
from domain.webhooks.secret import seal_secret
from domain.webhooks.signature import SECRET_BYTES, secret_of
from domain.webhooks.webhook import ALL_EVENTS, RetryPolicy
from embedded.data_folder import StackInfo
from store.core.database import Database
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.subscriptions import NewWebhook, WebhookChange, WebhookRepository


class DemoWebhook(BaseModel):
    """`secret` is kept in clear, for this shop alone. Both are empty before there is one."""

    id: str = ""
    secret: str = ""


async def subscribe(
    connection: AsyncConnection, tenant: TenantId, url: str, sealer: Sealer, now: datetime
) -> DemoWebhook:
    """Make the webhook."""
    webhook = DemoWebhook(id=new_ulid(), secret=secret_of(secrets.token_bytes(SECRET_BYTES)))
    await WebhookRepository(connection, tenant).create(
        NewWebhook(
            id=webhook.id,
            label="demo",
            url=url,
            events=(ALL_EVENTS,),
            retry_policy=RetryPolicy.NONE,
            secret_sealed=seal_secret(sealer, tenant, webhook.id, webhook.secret),
        ),
        now,
    )
    return webhook


async def point(
    connection: AsyncConnection, tenant: TenantId, webhook: DemoWebhook, url: str, now: datetime
) -> bool:
    """Lead the webhook to the receiver's present port, and turn it on again. False if there is no
    such webhook."""
    webhooks = WebhookRepository(connection, tenant)
    try:
        await webhooks.change(webhook.id, WebhookChange(url=url), now)
    except WebhookNotFound:
        return False
    await webhooks.enable(webhook.id)
    return True


async def pause(database: Database, tenant: TenantId, webhook: DemoWebhook, now: datetime) -> None:
    """Without its receiver every event would fail, and the 20th disable it; its past deliveries
    can still be looked at, which deleting it would end. Nothing if it is gone."""
    async with database.tenant(tenant) as connection:
        webhooks = WebhookRepository(connection, tenant)
        if any(one.id == webhook.id for one in await webhooks.all()):
            await webhooks.change(webhook.id, WebhookChange(pause=True), now)


async def waiting(database: Database, tenant: TenantId, webhook: DemoWebhook) -> list[str]:
    """Ids of the webhook's deliveries that have not ended. Raises WebhookNotFound."""
    async with database.tenant(tenant) as connection:
        latest = await DeliveryRepository(connection, tenant).latest(webhook.id)
    return [it.id for it in latest if it.status is DeliveryStatus.PENDING]


async def send_waiting(
    database: Database, tenant: TenantId, webhook: DemoWebhook, stack: StackInfo
) -> None:
    """Have sent what no run sends. Raises EngineUnavailable."""
    deliveries = await waiting(database, tenant, webhook)
    if deliveries:
        namespace = stack.env.get("TEMPORAL_NAMESPACE") or "default"
        client = await connect(stack.env["TEMPORAL_ADDRESS"], namespace)
        await TemporalEngine(client).send_webhooks(tenant, deliveries)
