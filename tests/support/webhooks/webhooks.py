"""Default webhooks of a shop, and their events."""

import secrets
from dataclasses import dataclass

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.core.ports import Sealer
from domain.webhooks.outbound_event import OutboundEvent, PlaybookActivated
from domain.webhooks.secret import seal_secret
from domain.webhooks.signature import SECRET_BYTES, secret_of
from domain.webhooks.webhook import RetryPolicy
from store.core.database import Database
from store.webhooks.outbox import Outbox
from store.webhooks.subscriptions import NewWebhook, WebhookRepository
from tests.support.tenants.shop import Shop

SEALER = FernetSealer(new_seal_key())
"""A sealer for tests that do not unseal secrets."""
URL = "https://hooks.example.com/in"


@dataclass(frozen=True)
class Subscribed:
    id: str
    secret: str


async def subscribe(
    database: Database,
    shop: Shop,
    *,
    url: str = URL,
    events: tuple[str, ...] = ("*",),
    retry_policy: RetryPolicy = RetryPolicy.NONE,
    once_per_ticket: bool = False,
    sealer: Sealer = SEALER,
) -> Subscribed:
    """Create a webhook. `sealer` is the sealer of the sending process."""
    webhook_id, secret = new_ulid(), secret_of(secrets.token_bytes(SECRET_BYTES))
    async with database.tenant(shop.tenant) as connection:
        await WebhookRepository(connection, shop.tenant).create(
            NewWebhook(
                id=webhook_id,
                label="test",
                url=url,
                events=events,
                retry_policy=retry_policy,
                once_per_ticket=once_per_ticket,
                secret_sealed=seal_secret(sealer, shop.client_id, webhook_id, secret),
            ),
            utc_now(),
        )
    return Subscribed(webhook_id, secret)


async def tell(
    database: Database,
    shop: Shop,
    event: OutboundEvent | None = None,
    *,
    run_id: str | None = None,
) -> tuple[str, ...]:
    """Create an event for the shop, and return the ids of its deliveries."""
    async with database.tenant(shop.tenant) as connection:
        return await Outbox(connection, shop.tenant).add(
            event or sample(), dedup_key=new_ulid(), now=utc_now(), new_id=new_ulid, run_id=run_id
        )


def sample() -> OutboundEvent:
    return PlaybookActivated(
        playbook_id=new_ulid(), name="tout", version=1, event_type="*", actor="test"
    )
