"""Emails to a client's customers, from the client's verified sender or, if there is none, from the
service's sender. The service's sender may write only to addresses that have written to the service
(decision 0074)."""

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from activities.integrations.mail_limiter import MailLimiter
from activities.integrations.rating_question import RatingQuestion
from activities.runtime.heartbeat import beating
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock, Mailer, MailSender, OutgoingMail, ServicePermit
from domain.core.service_name import ServiceName
from domain.integrations.client_sender import signed
from domain.integrations.errors import (
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    MailNameProtected,
    MailRecipientUnproved,
    MailRefused,
    MailServersBusy,
    MailUnknown,
)
from domain.integrations.mail_allowance import MailGroup, is_accountable
from domain.integrations.protected_names import mailable_name
from domain.tenants.errors import ClientNotFound
from store.core.database import Database
from store.integrations.mail_recipients import MailRecipientRepository
from store.integrations.mail_senders import MailSenderRepository
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository

_log = structlog.get_logger(__name__)


class ClientMail:
    """A sender of emails to customers. If an email fails, the failure is stored with the client's
    sender address, where the merchant can see it."""

    def __init__(
        self,
        database: Database,
        mailer: Mailer,
        limiter: MailLimiter,
        now: Clock,
        question: RatingQuestion | None = None,
        *,
        service: ServiceName,
    ) -> None:
        self._database = database
        self._mailer = mailer
        self._limiter = limiter
        self._now = now
        self._question = question
        self._service = service

    async def send(
        self,
        tenant: TenantId,
        mail: OutgoingMail,
        group: MailGroup,
        *,
        answer_of: str | None = None,
    ) -> str:
        """Send one email to a customer and return its Message-ID.

        `group` is the allowance on the service's server. `answer_of` is the answered run, or None.
        Raises MailRefused (MailRecipientUnproved, MailNameProtected, MailLimitReached),
        MailUnreachable (not sent), MailUnknown.
        """
        async with self._database.tenant(tenant) as connection:
            sender = await MailSenderRepository(connection, tenant).verified()
            if sender is None:
                await self._require_proof(connection, tenant, mail.to, answer_of)
            branding = (await SettingsRepository(connection, tenant).read()).branding
            if answer_of is not None and self._question is not None:
                mail = await self._question.added_to(connection, tenant, mail, answer_of)
        address = None if sender is None else sender.address
        shown = mailable_name(mail.from_name, address, self._service)
        if not shown and mail.from_name:
            raise MailNameProtected
        mail = mail.model_copy(update={"from_name": shown, "color": branding.color})
        if sender is None:
            async with self._limiter.client_mail(tenant, group, to=mail.to):
                return await self._mailer.send(mail, ServicePermit(mail.to))
        mail = mail.model_copy(update={"text": signed(mail.text, sender.signature)})
        if sender.server is not None:
            return await self.send_by(sender, mail)
        async with self._limiter.client_mail(tenant, group, to=mail.to, sender=sender.address):
            return await self.send_by(sender, mail)

    async def _require_proof(
        self, connection: AsyncConnection, tenant: TenantId, to: str, answer_of: str | None
    ) -> None:
        """Raise MailRecipientUnproved unless the address's owner has written to the service. The
        proof is a verification in the widget, or an authenticated email from that address that the
        run `answer_of` answers."""
        recipients, address = MailRecipientRepository(connection, tenant), to.lower()
        if await recipients.has_proved(address):
            return
        if answer_of is None or not await recipients.wrote_this(address, answer_of):
            raise MailRecipientUnproved
        try:
            subscription = await AccountRepository(connection, tenant).subscription()
        except ClientNotFound:
            raise MailRecipientUnproved from None
        # A client that is not accountable may know the secret of its mail provider. It could
        # therefore forge the message that would serve as proof.
        if not is_accountable(subscription, self._now()):
            raise MailRecipientUnproved

    async def send_once(
        self,
        tenant: TenantId,
        mail: OutgoingMail,
        group: MailGroup,
        *,
        answer_of: str | None = None,
    ) -> None:
        """Send an email as `send` does, once, within an activity. A rejected email, or one with an
        unknown outcome, is logged and not sent again. Raises MailUnreachable."""
        try:
            async with beating():
                await self.send(tenant, mail, group, answer_of=answer_of)
        except (MailRefused, MailUnknown) as error:
            _log.warning("failed to send mail", mail=mail.name, error_code=error.code)

    async def send_by(self, sender: MailSender, mail: OutgoingMail) -> str:
        """Send an email from a sender that might not be verified yet, and return the Message-ID.
        Raises the same errors as `send`."""
        try:
            message_id = await self._mailer.send(mail, sender)
        except MailServersBusy:  # The sender is not the cause.
            raise
        except (ActionRefused, ActionUnreachable, ActionUnknown) as error:
            await self._note(sender, error.code)
            raise
        await self._note(sender, None)
        return message_id

    async def _note(self, sender: MailSender, error_code: str | None) -> None:
        """Store the outcome of an email with its sender, for display only. A database failure is
        logged because it must not make the email's outcome unknown."""
        tenant = sender.client_id
        try:
            async with self._database.tenant(tenant) as connection:
                senders = MailSenderRepository(connection, tenant)
                if error_code is None:
                    await senders.note_success(sender.address)
                else:
                    await senders.note_failure(sender.address, error_code, self._now())
        except EngineUnavailable as error:
            _log.warning("failed to record a mail's outcome with its sender", error_code=error.code)


async def shown_name(connection: AsyncConnection, tenant: TenantId) -> str | None:
    """Return the client's name as shown in emails to customers, or None while the client is being
    erased."""
    settings = await SettingsRepository(connection, tenant).read()
    try:
        brand = await ClientRepository(connection).brand_name(tenant)
    except ClientNotFound:
        return None
    name = settings.branding.display_name or brand
    sender = await MailSenderRepository(connection, tenant).verified()
    # A client with a protected name can send email only from its own sender.
    return mailable_name(name, None if sender is None else sender.address) or name
