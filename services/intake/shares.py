"""Shares of a client's limits: for a widget's visitors, for unproved senders, and for events that
no playbook matches. Call these functions under the account's lock."""

from datetime import datetime
from math import ceil

from domain.billing.quota import QuotaStanding
from domain.intake.errors import UnmatchedRoomUsed, UnprovedShareUsed
from domain.intake.gateway_limits import PER_CLIENT
from domain.intake.unmatched_room import ROOM, WINDOW
from domain.intake.unproved_share import MESSAGES, TICKET_RETRY, tickets_at
from domain.widget.errors import WidgetShareUsed
from domain.widget.share import WidgetShare
from services.core.unit_of_work import UnitOfWork
from store.intake.unmatched_use import UnmatchedUse
from store.intake.unproved_use import UnprovedUse
from store.widget.share_use import ShareUse


async def check_widget_share(
    work: UnitOfWork, share: WidgetShare, standing: QuotaStanding, now: datetime
) -> None:
    """Check the widget's share. Raises WidgetShareUsed."""
    use = ShareUse(work.connection, work.tenant)
    oldest = await use.oldest(share.messages, now)
    if oldest is not None:
        raise WidgetShareUsed(PER_CLIENT.retry_after_s(oldest, now), oldest)
    room = share.tickets(standing.tickets_limit)
    # If the total of tickets is lower, the widget's is too, so most messages need no count.
    if room is None or standing.tickets_used < room:
        return
    if await use.tickets(standing.period, room) >= room:
        raise WidgetShareUsed(None)


async def check_unproved_share(work: UnitOfWork, standing: QuotaStanding, now: datetime) -> None:
    """Check the share of unproved senders. Raises UnprovedShareUsed."""
    use = UnprovedUse(work.connection, work.tenant)
    oldest = await use.oldest(MESSAGES, now)
    if oldest is not None:
        raise UnprovedShareUsed(PER_CLIENT.retry_after_s(oldest, now))
    room = tickets_at(standing, now)
    if room is None or standing.tickets_used < room:
        return
    if await use.tickets(standing.period, room) >= room:
        raise UnprovedShareUsed(TICKET_RETRY.total_seconds())


async def check_unmatched_room(work: UnitOfWork, now: datetime) -> None:
    """Check the storage for unmatched events. Raises UnmatchedRoomUsed. The last event that is
    stored may exceed it."""
    used = await UnmatchedUse(work.connection, work.tenant).since(now - WINDOW)
    if used.kept >= ROOM and used.oldest is not None:
        raise UnmatchedRoomUsed(max(1, ceil((used.oldest + WINDOW - now).total_seconds())))
