"""Emails to members about tickets that need them: prepare, read and settle them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import OutgoingMail
from domain.reviews.notification import NotificationMode, digest_time, plan_mails
from domain.reviews.notification_mail import (
    MAX_LISTED,
    DigestCounts,
    MailFrame,
    NotifiedTicket,
    digest_mail,
    several_mail,
    ticket_mail,
)
from domain.runs.inbox import InboxFilter
from services.core.unit_of_work import UnitOfWork
from store.reviews.inbox import InboxReader
from store.reviews.member_mails import (
    MailOutcome,
    MemberChoice,
    MemberMailRepository,
    Recipient,
)
from store.reviews.member_notifications import MemberNotificationRepository
from store.reviews.open_reviews import MOST, count_needs
from store.tenants.business_hours import BusinessHoursRepository

USELESS_AFTER: Final = timedelta(hours=12)
"""The time after which an email that could not be sent is discarded."""


@dataclass(frozen=True, slots=True)
class PreparedMails:
    """The emails to send to one member now, by id, oldest first."""

    recipient: Recipient
    mail_ids: tuple[str, ...]


async def prepare_mails(work: UnitOfWork, user_id: str) -> PreparedMails | None:
    """Prepare the emails due to a member, and return all unsent ones, or None if the user may not
    receive any.

    Locks the member's row to enforce the hourly limit and the daily digest. The unit of work must
    span clients.
    """
    mails = MemberMailRepository(work.connection, work.tenant)
    choice = await mails.lock(user_id)
    if choice is None:
        return None
    notifications = MemberNotificationRepository(work.connection, work.tenant)
    recipient = await mails.recipient(user_id)
    if recipient is None:
        await notifications.discard(user_id, work.now)
    elif choice.mode is NotificationMode.AT_ONCE:
        pending = await mails.pending(user_id)
        sent = await mails.sent_at(user_id, work.now)
        for notices in plan_mails(pending, sent, work.now):
            await mails.add(work.new_id(), user_id, notices, work.now)
    if choice.mode is NotificationMode.DIGEST:
        await _prepare_digest(work, user_id, choice, is_wanted=recipient is not None)
    if recipient is None:
        return None
    await mails.end_older(user_id, work.now - USELESS_AFTER, work.now)
    return PreparedMails(recipient, tuple(await mails.unsent(user_id)))


async def _prepare_digest(
    work: UnitOfWork, user_id: str, choice: MemberChoice, *, is_wanted: bool
) -> None:
    """Prepare the member's digest if it is due and tickets are waiting. A day on which nothing
    waits is settled without a digest."""
    hours = await BusinessHoursRepository(work.connection, work.tenant).read()
    due = digest_time(
        choice.digest_hour,
        hours.time_zone,
        since=choice.updated_at,
        last=choice.digest_day,
        now=work.now,
    )
    mails = MemberMailRepository(work.connection, work.tenant)
    if (
        due.day is not None
        and is_wanted
        and await count_needs(work.connection, work.tenant, work.now)
    ):
        await mails.add_digest(work.new_id(), user_id, due.day, work.now)
    await mails.set_digest(user_id, due.day, due.following)


async def read_mail(
    connection: AsyncConnection, tenant: TenantId, user_id: str, frame: MailFrame, now: datetime
) -> OutgoingMail | None:
    """Return the email with the id in `frame`, with the current state of its tickets. Return None
    if no ticket needs the member any more, or if the email was discarded."""
    mails = MemberMailRepository(connection, tenant)
    is_digest = await mails.is_digest(frame.mail_id)
    if is_digest is None:
        return None
    if is_digest:
        return await _digest(connection, tenant, user_id, frame, now)
    found = await mails.tickets(frame.mail_id, MAX_LISTED)
    match found.listed:
        case ():
            return None
        case (ticket,):
            return ticket_mail(frame, ticket, assigned=found.assigned)
        case listed:
            return several_mail(frame, listed, found.count)


async def _digest(
    connection: AsyncConnection, tenant: TenantId, user_id: str, frame: MailFrame, now: datetime
) -> OutgoingMail | None:
    waiting = await count_needs(connection, tenant, now)
    if waiting == 0:
        return None
    mails = MemberMailRepository(connection, tenant)
    counts = DigestCounts(
        waiting=waiting,
        urgent=await mails.count_urgent(MOST + 1),
        assigned=await mails.count_assigned(user_id, now, MOST + 1),
        most=MOST,
    )
    tickets, _ = await InboxReader(connection, tenant).page(
        InboxFilter(), user=user_id, after=None, limit=MAX_LISTED, now=now
    )
    oldest = [
        NotifiedTicket(
            one.review_id, one.conversation_id, one.reason, one.urgent, one.waiting_since
        )
        for one in tickets
    ]
    return digest_mail(frame, counts, oldest, now)


async def end_mail(work: UnitOfWork, mail_id: str, outcome: MailOutcome) -> None:
    """Store the outcome of an email, so that it is not sent again."""
    await MemberMailRepository(work.connection, work.tenant).end(mail_id, outcome, work.now)
