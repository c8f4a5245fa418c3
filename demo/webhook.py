"""The demo shop's webhook. While the shop's receiver is running, the webhook is subscribed to every
event."""

import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from domain.billing.errors import PlanRequired
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.tenants.actor import Actor
from domain.webhooks.delivery import DeliveryStatus
from domain.webhooks.errors import WebhookNotFound
from domain.webhooks.signature import SECRET_BYTES
from domain.webhooks.webhook import ALL_EVENTS
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.webhooks.subscriptions import (
    NewSubscription,
    change_webhook,
    create_webhook,
    enable_webhook,
)
from store.core.database import Database
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.subscriptions import WebhookChange

DEMO: Final = Actor.system("demo")


class DemoWebhook(BaseModel):
    """The shop's webhook, empty until it exists. Unlike a real client's secret, the signing
    `secret` is stored unencrypted."""

    id: str = ""
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Destination:
    """The target of the demo shop's webhook. If `allow_private` is true, workers may send to
    localhost, where the receiver runs."""

    url: str
    allow_private: bool


async def subscribe(work: UnitOfWork, to: Destination, sealer: Sealer) -> DemoWebhook:
    """Create the webhook. Raises InvalidWebhook if workers are not allowed to send to its URL."""
    made = await create_webhook(
        work,
        DEMO,
        NewSubscription(to.url, (ALL_EVENTS,), label="demo"),
        sealer=sealer,
        random_bytes=secrets.token_bytes(SECRET_BYTES),
        allow_private=to.allow_private,
    )
    return DemoWebhook(id=made.webhook.id, secret=made.secret)


async def point(work: UnitOfWork, webhook: DemoWebhook, to: Destination) -> bool:
    """Change the webhook's URL to the receiver's port, and enable it, which sends a test event.
    Return False if it does not exist."""
    try:
        change = WebhookChange(url=to.url)
        await change_webhook(work, DEMO, webhook.id, change, allow_private=to.allow_private)
    except WebhookNotFound:
        return False
    await enable_webhook(work, DEMO, webhook.id)
    return True


async def pause(units: UnitsOfWork, tenant: TenantId, webhook: DemoWebhook) -> None:
    """Pause the webhook while its receiver is not running, because the 20th failure would disable
    it.

    It is not deleted, so that its deliveries remain visible. Do nothing without the webhook or its
    plan.
    """
    with suppress(WebhookNotFound, PlanRequired):
        async with units.of(tenant) as work:
            change = WebhookChange(pause=True)
            await change_webhook(work, DEMO, webhook.id, change, allow_private=False)


async def waiting(database: Database, tenant: TenantId, webhook: DemoWebhook) -> list[str]:
    """Return the ids of the webhook's pending deliveries. Raises WebhookNotFound."""
    async with database.reading(tenant) as connection:
        latest = await DeliveryRepository(connection, tenant).latest(webhook.id)
    return [it.id for it in latest if it.status is DeliveryStatus.PENDING]
