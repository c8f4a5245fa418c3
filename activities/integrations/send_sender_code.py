"""The activity that emails a verification code for a client's sender, from that sender."""

import structlog
from temporalio import activity

from activities.integrations.client_mail import ClientMail
from activities.integrations.mail_limiter import MailLimiter
from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.core.service_name import ServiceName
from domain.identity.contracts import SendMailInput
from domain.integrations.errors import MailRefused, MailUnknown
from domain.integrations.sender_code_mail import sender_code_mail
from domain.integrations.service_mail import ServiceMail
from store.core.database import Database
from store.integrations.mail_senders import MailSenderRepository

_log = structlog.get_logger(__name__)


class SendSenderCode:
    def __init__(
        self,
        database: Database,
        mail: ClientMail,
        limiter: MailLimiter,
        sealer: Sealer,
        now: Clock,
        *,
        service: ServiceName,
    ) -> None:
        self._service = service
        self._database = database
        self._mail = mail
        self._limiter = limiter
        self._sealer = sealer
        self._now = now

    @activity.defn(name=names.SEND_SENDER_CODE)
    async def send(self, step: SendMailInput) -> None:
        """Send the code to the sender's own address, once. The email is sent twice only if the
        worker crashes after the mail server has accepted it.

        Idempotency key: the Message-ID, derived from the code's id. Raises MailUnreachable, which
        Temporal retries until the code is too old. A rejected email, or one with an unknown
        outcome, is recorded and not sent again: the member can request another code.
        """
        tenant = TenantId(step.client_id)
        async with self._database.tenant(tenant) as connection:
            code = await MailSenderRepository(connection, tenant).to_mail(
                step.record_id, self._now()
            )
        if code is None:
            return
        mail = sender_code_mail(
            code.id,
            code.sender.address,
            code.language,
            self._sealer.unseal(code.sealed_code),
            service=self._service,
        )
        try:
            async with (
                beating(),
                self._limiter.service_mail(ServiceMail.SENDER_CODE, mail.to, tenant),
            ):
                await self._mail.send_by(code.sender, mail)
        except (MailRefused, MailUnknown) as error:
            _log.warning("failed to send mail", kind=step.kind, error_code=error.code)
        async with self._database.tenant(tenant) as connection:
            await MailSenderRepository(connection, tenant).mailed(code.id)
