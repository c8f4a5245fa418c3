"""Check the shares of a client's limits that apply to widget visitors, unverified senders and
stored events. Callers must hold the account's lock."""

from datetime import datetime
from math import ceil

from domain.billing.quota import QuotaStanding
from domain.billing.subscription import Subscription
from domain.intake.errors import EventRoomUsed, UnprovedShareUsed
from domain.intake.event_room import ROOM, UNPROVED_PART, WINDOW
from domain.intake.gateway_limits import PER_CLIENT
from domain.intake.unproved_share import MESSAGES, TICKET_RETRY, tickets_at
from domain.integrations.mail_allowance import is_accountable
from domain.widget.errors import WidgetShareUsed
from domain.widget.share import WidgetShare
from services.core.unit_of_work import UnitOfWork
from store.intake.event_use import EventUse
from store.intake.unproved_use import UnprovedUse
from store.widget.share_use import ShareUse


async def check_widget_share(
    work: UnitOfWork, share: WidgetShare, standing: QuotaStanding, now: datetime
) -> None:
    """Check that the widget has not used up its share of the client's limits. Raises
    WidgetShareUsed."""
    use = ShareUse(work.connection, work.tenant)
    oldest = await use.oldest(share.messages, now)
    if oldest is not None:
        raise WidgetShareUsed(PER_CLIENT.retry_after_s(oldest, now), oldest)
    room = share.tickets(standing.tickets_limit)
    # If all of the client's tickets together are below the widget's share, the widget's tickets
    # need not be counted. This is the case for most messages.
    if room is None or standing.tickets_used < room:
        return
    if await use.tickets(standing.period, room) >= room:
        raise WidgetShareUsed(None)


async def check_unproved_share(work: UnitOfWork, standing: QuotaStanding, now: datetime) -> None:
    """Check that unverified senders have not used up their share. Raises UnprovedShareUsed."""
    use = UnprovedUse(work.connection, work.tenant)
    oldest = await use.oldest(MESSAGES, now)
    if oldest is not None:
        raise UnprovedShareUsed(PER_CLIENT.retry_after_s(oldest, now))
    room = tickets_at(standing, now)
    if room is None or standing.tickets_used < room:
        return
    if await use.tickets(standing.period, room) >= room:
        raise UnprovedShareUsed(TICKET_RETRY.total_seconds())


async def check_event_room(
    work: UnitOfWork,
    subscription: Subscription,
    now: datetime,
    *,
    matched: bool,
    unproved: bool,
) -> None:
    """Check the storage limit on events. `matched` means that a playbook matches. `unproved` means
    a platform's event without a verified sender.

    With a plan, only unmatched events count and can be rejected. Without a plan, all events count,
    and unverified ones are limited to a part. The last stored event may exceed the limit.

    Raises EventRoomUsed, or UnprovedShareUsed for a matched event of an unverified sender.
    """
    has_plan = is_accountable(subscription, now)
    if matched and has_plan:
        return
    use = EventUse(work.connection, work.tenant)
    used = await use.since(now - WINDOW, only_unmatched=has_plan)
    room = ROOM // UNPROVED_PART if unproved and not has_plan else ROOM
    if used.oldest is None or used.kept < room:
        return
    wait_s = max(1, ceil((used.oldest + WINDOW - now).total_seconds()))
    if matched and unproved:
        raise UnprovedShareUsed(min(wait_s, TICKET_RETRY.total_seconds()))
    raise EventRoomUsed(wait_s, matched=matched)
