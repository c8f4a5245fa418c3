"""Management of deliveries: tests, replays, and the explanation of why a signature does not
match."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.core.service_name import ServiceName
from domain.tenants.actor import MANAGERS, Actor
from domain.webhooks.curl import signed_again
from domain.webhooks.delivery import Delivery
from domain.webhooks.envelope import render
from domain.webhooks.explanation import Explanation
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.samples import TESTED_BY_DEFAULT, sample
from domain.webhooks.secret import known_secrets, unseal_secret
from domain.webhooks.signature_verdict import KnownSecret, Pasted, Sent, explain
from services.core.unit_of_work import UnitOfWork
from services.webhooks.plan import subscriber
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.evidence import WebhookEvidence
from store.webhooks.replay import DeliveryReplay, Replayed
from store.webhooks.subscriptions import WebhookRepository

REPLAYED_AT_ONCE: Final = 1000
"""Maximum number of events in one replay."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The data needed to explain why a pasted signature does not match."""

    secrets: tuple[KnownSecret, ...] = field(repr=False)
    sent: tuple[Sent, ...] = field(repr=False)
    now: datetime

    def explain(self, pasted: Pasted) -> Explanation:
        """Return an explanation of why a pasted signature does not match. For a long body, the
        comparison takes several tenths of a second."""
        return explain(pasted, secrets=self.secrets, sent=self.sent, now=self.now)


async def send_test(
    work: UnitOfWork,
    actor: Actor,
    webhook_id: str,
    event: OutboundEventId = TESTED_BY_DEFAULT,
) -> str:
    """Send a sample event to a webhook, even a disabled one, and return the delivery's id. A
    failure is not counted.

    Raises RoleRequired, PlanRequired, WebhookNotFound, TooManyPending.
    """
    actor.require(MANAGERS)
    await (await subscriber(work)).read(webhook_id)
    body = render(sample(event), work.tenant, work.now)
    delivery_id = await DeliveryReplay(work.connection, work.tenant).test(
        webhook_id, event, body, work.new_id, work.now
    )
    work.deliver(delivery_id)
    work.note(actor, "webhook tested", webhook_id=webhook_id, delivery_id=delivery_id)
    return delivery_id


async def replay_delivery(work: UnitOfWork, actor: Actor, webhook_id: str, delivery_id: str) -> str:
    """Send a delivery again to the webhook's current URL, with the same body and webhook-id. Return
    the new delivery's id.

    Raises RoleRequired, PlanRequired, DeliveryNotFound, DeliveryPending, WebhookDisabled,
    TooManyPending.
    """
    actor.require(MANAGERS)
    await subscriber(work)
    replayed = await DeliveryReplay(work.connection, work.tenant).replay(
        webhook_id, delivery_id, work.new_id, work.now
    )
    work.deliver(replayed)
    work.note(actor, "delivery replayed", webhook_id=webhook_id, delivery_id=replayed)
    return replayed


async def replay_missed(
    work: UnitOfWork, actor: Actor, webhook_id: str, since: datetime, *, everything: bool = False
) -> Replayed:
    """Send the events since `since` that a webhook has not received, oldest first.

    REPLAYED_AT_ONCE and the limit on pending deliveries apply. If `everything` is true, received
    events are included. Raises RoleRequired, PlanRequired, WebhookNotFound, WebhookDisabled.
    """
    actor.require(MANAGERS)
    await subscriber(work)
    replayed = await DeliveryReplay(work.connection, work.tenant).replay_since(
        webhook_id,
        since,
        everything=everything,
        limit=REPLAYED_AT_ONCE,
        new_id=work.new_id,
        now=work.now,
    )
    work.deliver(*replayed.delivery_ids)
    work.note(actor, "webhook replayed", webhook_id=webhook_id)
    return replayed


async def signature_evidence(
    work: UnitOfWork, actor: Actor, webhook_id: str, *, sealer: Sealer
) -> Evidence:
    """Return the data for explaining why a webhook signature does not match. Read-only. Raises
    RoleRequired, PlanRequired, WebhookNotFound."""
    actor.require(MANAGERS)
    await subscriber(work)
    evidence = WebhookEvidence(work.connection, work.tenant, webhook_id)
    sealed = await evidence.sealed_secrets(work.now)
    return Evidence(
        secrets=known_secrets(sealer, work.tenant, sealed), sent=await evidence.sent(), now=work.now
    )


async def read_delivery(
    connection: AsyncConnection,
    tenant: TenantId,
    webhook_id: str,
    delivery_id: str,
    *,
    sealer: Sealer,
    now: datetime,
    service: ServiceName,
) -> tuple[Delivery, str]:
    """Return a delivery, and a shell command that sends it again with a current signature, on any
    plan. Raises DeliveryNotFound, WebhookNotFound."""
    found = await DeliveryRepository(connection, tenant).read(webhook_id, delivery_id)
    sealed = await WebhookRepository(connection, tenant).sealed_secrets(webhook_id, now)
    secrets = [unseal_secret(sealer, tenant, webhook_id, one) for one in sealed]
    return found, signed_again(found, secrets, int(now.timestamp()), service)
