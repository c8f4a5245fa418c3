"""The effects of webhooks. For each kind of webhook content, one function applies the reported
change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from domain.core.ports import Clock, Sealer
from domain.inbound.effect import Wait, WebhookEffect
from domain.inbound.inbound_webhook import Outcome
from domain.inbound.meaning import (
    ComplianceRequest,
    InboundTicket,
    Meaning,
    Nothing,
    OrderNews,
    StaffMessage,
    TicketClosed,
)
from domain.intake.attachment_type import Inspected
from domain.integrations.errors import IntegrationNotFound
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.inbound.compliance_requests import perform
from services.inbound.staff import heard
from services.inbound.tickets import take_ticket
from store.inbound.work import StoredWebhook
from store.integrations.integrations import IntegrationRepository
from store.integrations.order_facts import OrderFactRepository


@dataclass(frozen=True, slots=True)
class Doer:
    """The context in which effects are applied, as the system. `pause_lasts` is the agent's pause
    after a human's message in a ticket. `service_address` is the sender of the service's own
    emails."""

    actor: Actor
    sealer: Sealer
    now: Clock
    pause_lasts: timedelta
    service_address: str


async def carry_out(
    work: UnitOfWork,
    doer: Doer,
    webhook: StoredWebhook,
    meaning: Meaning,
    inspected: Sequence[Inspected] = (),
) -> WebhookEffect | Wait:
    """Apply the effect of a webhook once, committed with its idempotency key. `inspected` are the
    attachments of an InboundTicket.

    For a compliance request, `work` must span clients. Raises the errors of the called use cases.
    """
    match meaning:
        case InboundTicket():
            return await take_ticket(
                work,
                doer.actor,
                webhook,
                meaning,
                doer.now,
                inspected=inspected,
                service_address=doer.service_address,
            )
        case OrderNews():
            return await _note_orders(work, webhook, meaning)
        case ComplianceRequest():
            return await _do_request(work, doer, webhook, meaning)
        case StaffMessage() | TicketClosed():
            return await _hear(work, doer, webhook, meaning)
        case Nothing(reason=reason, outcome=outcome):
            return WebhookEffect(outcome, reason=reason)


async def _note_orders(work: UnitOfWork, webhook: StoredWebhook, news: OrderNews) -> WebhookEffect:
    facts = OrderFactRepository(work.connection, work.tenant)
    said = [await facts.apply(webhook.integration_id, fact, work.now) for fact in news.facts]
    first = news.facts[0] if news.facts else None
    return WebhookEffect(
        Outcome.ORDER_UPDATED if any(said) else Outcome.ORDER_KNOWN,
        reference=(first.number or first.order_id) if first else None,
    )


async def _do_request(
    work: UnitOfWork, doer: Doer, webhook: StoredWebhook, compliance: ComplianceRequest
) -> WebhookEffect:
    done = await perform(
        work,
        doer.actor,
        compliance,
        webhook_id=webhook.id,
        integration_id=webhook.integration_id,
        provider=webhook.provider,
        is_trusted=webhook.facts.was_trusted,
        sealer=doer.sealer,
    )
    return WebhookEffect(
        done.outcome, reason=done.reason, reference=done.reference, erase=done.erase
    )


async def _hear(
    work: UnitOfWork, doer: Doer, webhook: StoredWebhook, message: StaffMessage | TicketClosed
) -> WebhookEffect:
    try:
        integration = await IntegrationRepository(work.connection, work.tenant).usable(
            webhook.integration_id
        )
    except IntegrationNotFound:
        return WebhookEffect(Outcome.IGNORED, reason="disconnected", reference=message.ticket_id)
    outcome = await heard(work, integration, message, lasts=doer.pause_lasts)
    return WebhookEffect(outcome, reference=message.ticket_id)
