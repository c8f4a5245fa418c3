"""The activity that emails members about tickets that need them."""

import asyncio
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from temporalio import activity

from activities.integrations.service_mails import ServiceMails
from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.core.service_name import ServiceName
from domain.integrations.errors import MailUnreachable
from domain.integrations.service_mail import ServiceMail
from domain.reviews.contracts import MailMembersInput, MailMembersResult
from domain.reviews.notification_mail import MailFrame
from domain.reviews.unsubscribe import Subscriber, unsubscribe_link
from services.core.unit_of_work import UnitsOfWork
from services.reviews.member_mails import end_mail, prepare_mails, read_mail
from store.reviews.member_mails import MailOutcome, Recipient, due_members

BATCH: Final = 2_000
"""Maximum number of members in one pass. The next pass continues with the others."""

_CLIENTS_AT_ONCE: Final = 4
"""Number of clients to whose members emails are sent concurrently. A client with many members
therefore delays only its own emails."""

_log = structlog.get_logger(__name__)


class MemberMails:
    """The activity that sends emails to members. `origin` is the service's public origin.
    `dashboard_url` is where members answer tickets."""

    def __init__(
        self,
        units: UnitsOfWork,
        mails: ServiceMails,
        sealer: Sealer,
        *,
        origin: str,
        dashboard_url: str,
        service: ServiceName,
    ) -> None:
        self._units = units
        self._mails = mails
        self._sealer = sealer
        self._origin = origin
        self._dashboard_url = dashboard_url
        self._service = service

    @activity.defn(name=names.MAIL_MEMBERS)
    async def send(self, _: MailMembersInput) -> MailMembersResult:
        """Send the emails that are due, and return their number. An email is sent twice only if the
        worker crashes after the mail server has accepted it.

        Idempotency key: the Message-ID, derived from the prepared email's id. If the mail server is
        unreachable, the next pass continues, and it repeats temporary rejections. Other rejections
        and unknown outcomes are final.
        """
        async with beating():
            async with self._units.database.service() as connection:
                due = await due_members(connection, self._units.now(), limit=BATCH)
            turns, away = asyncio.Semaphore(_CLIENTS_AT_ONCE), asyncio.Event()
            by_client = groupby(sorted(due), key=lambda one: one[0])
            sent = await asyncio.gather(
                *(
                    self._client(tenant, [user_id for _, user_id in members], turns, away)
                    for tenant, members in by_client
                )
            )
        return MailMembersResult(sent=sum(sent))

    async def _client(
        self,
        tenant: TenantId,
        user_ids: Sequence[str],
        turns: asyncio.Semaphore,
        away: asyncio.Event,
    ) -> int:
        """Email a client's members one after another, and return the number of emails. A failure
        does not stop the loop. `away` is set once the mail server is unreachable."""
        sent = 0
        async with turns:
            for user_id in user_ids:
                if away.is_set():
                    break
                try:
                    sent += await self._member(tenant, user_id)
                except MailUnreachable as error:
                    # A server may temporarily reject one recipient and accept the others.
                    if not error.by_server:
                        away.set()
                    _log.warning("emails to members wait", client_id=tenant, code=error.code)
                except (EngineUnavailable, SQLAlchemyError) as error:
                    _log.error(
                        "failed to email member", client_id=tenant, error=type(error).__name__
                    )
        return sent

    async def _member(self, tenant: TenantId, user_id: str) -> int:
        """Send the emails that are due to one member, and return their number. Raises
        MailUnreachable."""
        async with self._units.spanning(tenant) as work:
            prepared = await prepare_mails(work, user_id)
        if prepared is None:
            return 0
        sent = 0
        for mail_id in prepared.mail_ids:
            sent += await self._mail(tenant, user_id, prepared.recipient, mail_id)
        return sent

    async def _mail(
        self, tenant: TenantId, user_id: str, recipient: Recipient, mail_id: str
    ) -> int:
        member = Subscriber(tenant, user_id)
        frame = MailFrame(
            mail_id=mail_id,
            to=recipient.email,
            language=recipient.language,
            client_id=tenant,
            dashboard_url=self._dashboard_url,
            unsubscribe_url=unsubscribe_link(self._sealer, self._origin, member),
            service=self._service,
        )
        async with self._units.database.reading(tenant) as connection:
            mail = await read_mail(connection, tenant, user_id, frame, self._units.now())
        is_sent = mail is not None and await self._mails.send_once(
            ServiceMail.MEMBER_NOTICE, mail, tenant
        )
        outcome: MailOutcome = "sent" if is_sent else "failed"
        if mail is None:
            outcome = "obsolete"
        async with self._units.of(tenant) as work:
            await end_mail(work, mail_id, outcome)
        return int(is_sent)
