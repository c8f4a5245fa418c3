"""Inbound tickets: admit a customer's message from a webhook as an event, exactly once."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from domain.billing.errors import QuotaExhausted
from domain.core.ports import Clock
from domain.inbound.effect import BEHIND, Wait, WebhookEffect, wait_after
from domain.inbound.inbound_webhook import Outcome, WaitsFor, WebhookState
from domain.inbound.kept_bytes import MIDDLE, UNPROVED_WAITING
from domain.inbound.meaning import InboundTicket
from domain.intake.attachment_type import Inspected
from domain.intake.errors import (
    ClientRateLimited,
    CustomerRateLimited,
    EventRoomUsed,
    UnprovedShareUsed,
)
from domain.intake.event import InboundEvent
from domain.intake.limit_key import LimitKey
from domain.intake.unproved_share import SPACING, is_unproved
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.inbound.own_mail import is_own_mail, with_own_addresses
from services.intake.admission import Admitted, admit_event, counted_customer
from store.billing.thresholds import note_reached
from store.inbound.messages import InboundMessageRepository
from store.inbound.work import StoredWebhook, WorkRepository
from store.intake.arrivals import Arrival
from store.intake.attachments import AttachmentRepository
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.integrations.mail_senders import MailSenderRepository
from store.runs.action_ledger import ActionLedger


async def take_ticket(
    work: UnitOfWork,
    actor: Actor,
    webhook: StoredWebhook,
    ticket: InboundTicket,
    now: Clock,
    *,
    inspected: Sequence[Inspected],
    service_address: str,
) -> WebhookEffect | Wait:
    """Admit a customer's message with its attachments, unless it is known or a human agent has
    taken over its ticket.

    The message waits for the limits of the client, the customer and unverified senders, for the
    quota, and behind waiting messages. If too many tickets from unverified senders are waiting, it
    is dropped. A message that matches no playbook never waits for storage, and may remain unstored.

    `inspected` are the attachments. Raises the other errors of `admit_event`.
    """
    messages = InboundMessageRepository(work.connection, work.tenant)
    message = (webhook.integration_id, ticket.message_key)
    customer = await counted_customer(work, ticket.event, is_brought=True)
    about = partial(WebhookEffect, reference=ticket.ticket_id, customer=_key(customer))
    if not await messages.claim(*message, webhook_id=webhook.id, now=work.now):
        return about(Outcome.KNOWN)
    if await is_own_mail(ActionLedger(work.connection, work.tenant), ticket):
        # The service's own emails have the client as author, and only their text identifies the
        # recipient. No customer is therefore recorded.
        return WebhookEffect(Outcome.OWN_MESSAGE)
    if await _is_peoples(work, webhook, ticket):
        return about(Outcome.LEFT_TO_PEOPLE)
    unproved = is_unproved(ticket.event, customer)
    wait = await _behind(work, webhook, customer, is_unproved=unproved)
    if wait is None:
        try:
            event = await with_own_addresses(
                MailSenderRepository(work.connection, work.tenant), ticket.event, service_address
            )
            event_id, outcome, reason = await _admit(work, actor, webhook, event, now)
            if event_id is not None:
                await AttachmentRepository(work.connection, work.tenant).store(
                    event_id,
                    inspected,
                    is_unproved=unproved,
                    now=work.now,
                    new_id=work.new_id,
                )
            return about(outcome, reason=reason, event_id=event_id)
        # QuotaExhausted is raised before anything is written.
        except QuotaExhausted as refused:
            if refused.thresholds_untold:
                work.deliver(
                    *await note_reached(work.connection, work.tenant, work.now, work.new_id)
                )
            wait = wait_after(refused, customer)
        except (
            ClientRateLimited,
            CustomerRateLimited,
            EventRoomUsed,
            UnprovedShareUsed,
        ) as refused:
            wait = wait_after(refused, customer)
    if wait.waits_for is WaitsFor.UNPROVED_LIMIT and not await _may_wait(work, webhook):
        return about(Outcome.NO_ROOM)
    await messages.release(*message)
    return wait


async def _may_wait(work: UnitOfWork, webhook: StoredWebhook) -> bool:
    """Return True if a message from an unverified sender may wait. Either it is already waiting, or
    its body is not larger than MIDDLE and fewer than UNPROVED_WAITING such messages are waiting."""
    if webhook.state is WebhookState.WAITING:
        return True
    if (webhook.size or 0) > MIDDLE:
        return False
    rows = WorkRepository(work.connection, work.tenant)
    return await rows.unproved_waiting(UNPROVED_WAITING) < UNPROVED_WAITING


async def _is_peoples(work: UnitOfWork, webhook: StoredWebhook, ticket: InboundTicket) -> bool:
    if ticket.ticket_id is None:
        return False
    pauses = HelpdeskPauseRepository(work.connection, work.tenant)
    return await pauses.is_paused(webhook.integration_id, ticket.ticket_id, work.now)


async def _behind(
    work: UnitOfWork, webhook: StoredWebhook, customer: LimitKey | None, *, is_unproved: bool
) -> Wait | None:
    """Return the wait of an earlier message that this message must not overtake, or None."""
    earlier = await WorkRepository(work.connection, work.tenant).waits_behind(
        webhook.id, customer, is_unproved=is_unproved
    )
    if earlier is None:
        return None
    # Thousands of messages may wait for the share of unverified senders. Their waits are spaced, so
    # that each message is tried only when the share can be expected to admit it.
    apart = SPACING if earlier.waits_for is WaitsFor.UNPROVED_LIMIT else BEHIND
    lasts = max(earlier.not_before - work.now, timedelta(0)) + apart
    return Wait(earlier.waits_for, lasts, customer)


async def _admit(
    work: UnitOfWork, actor: Actor, webhook: StoredWebhook, event: InboundEvent, now: Clock
) -> tuple[str | None, Outcome, str | None]:
    """Admit the event. Return its id, the webhook's outcome and, for an event that is not stored,
    no id but a reason."""
    arrival = Arrival(
        event=event,
        event_id=work.new_id(),
        run_id=work.new_id(),
        message_id=work.new_id(),
        received_at=webhook.created_at,
        received_by=webhook.provider,
    )
    try:
        admitted = await admit_event(work, actor, arrival, now)
    except EventRoomUsed as refused:
        if refused.matched:
            raise
        return None, Outcome.NO_PLAYBOOK, refused.code
    is_run = isinstance(admitted, Admitted)
    return arrival.event_id, Outcome.EVENT if is_run else Outcome.NO_PLAYBOOK, None


def _key(customer: LimitKey | None) -> str | None:
    return None if customer is None else customer.customer
