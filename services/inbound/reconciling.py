"""Reconciliation: if a poll finds a change that no webhook has reported, the change is stored like
a webhook."""

from collections.abc import Sequence

from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.meaning import (
    InboundTicket,
    Meaning,
    Nothing,
    OrderNews,
    StaffMessage,
    TicketClosed,
)
from domain.inbound.polling import ChangesPage, FoundChange
from domain.inbound.ports import EndpointFacts, Platform
from services.core.unit_of_work import UnitOfWork
from services.inbound.receiving import NamedWebhook, keep
from store.inbound.messages import InboundMessageRepository
from store.inbound.poll_cursors import PollCursorRepository
from store.inbound.webhooks import KeptAs, KeptWebhook
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.integrations.order_facts import OrderFactRepository


def read_changes(
    platform: Platform, facts: EndpointFacts, changes: Sequence[FoundChange]
) -> tuple[tuple[FoundChange, Meaning], ...]:
    """Parse each change found by a poll. A change that cannot be parsed becomes `Nothing`, with the
    reason."""
    return tuple((one, _meaning(platform, facts, one)) for one in changes)


async def keep_found(
    work: UnitOfWork,
    platform: Platform,
    integration_id: str,
    read: Sequence[tuple[FoundChange, Meaning]],
    page: ChangesPage,
) -> tuple[KeptWebhook, ...]:
    """Store the new changes on a page and the poll cursor, and return the stored changes. No audit
    entry is written, because the rows themselves are the record."""
    kept: list[KeptWebhook] = []
    for change, meaning in read:
        if not await _is_news(work, integration_id, meaning):
            continue
        named = NamedWebhook(integration_id, InboundRequest({}, change.body), change.identity)
        kept.append(await keep(work, platform, named))
    await PollCursorRepository(work.connection, work.tenant).advance(
        integration_id, page.position, work.now
    )
    return tuple(one for one in kept if one.was is KeptAs.NEW)


def _meaning(platform: Platform, facts: EndpointFacts, change: FoundChange) -> Meaning:
    try:
        return platform.read(InboundRequest({}, change.body), change.identity, facts)
    except WebhookUnreadable as error:
        return Nothing(error.reason)


async def _is_news(work: UnitOfWork, integration_id: str, meaning: Meaning) -> bool:
    """Return True unless the change was already reported. If a concurrent webhook reports the same
    change, the duplicate is detected when the change is processed."""
    match meaning:
        case OrderNews(facts=facts):
            orders = OrderFactRepository(work.connection, work.tenant)
            known = [await orders.knows(integration_id, fact) for fact in facts]
            return not all(known)
        case InboundTicket(message_key=message_key):
            messages = InboundMessageRepository(work.connection, work.tenant)
            return not await messages.is_taken(integration_id, message_key)
        case TicketClosed(ticket_id=ticket_id):
            pauses = HelpdeskPauseRepository(work.connection, work.tenant)
            return await pauses.is_paused(integration_id, ticket_id, work.now)
        case StaffMessage():
            return True
        case _:
            return False
