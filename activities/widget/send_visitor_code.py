"""Send visitor code: the mail that verifies the address of a widget's visitor."""

from temporalio import activity

from activities.integrations.client_mail import ClientMail, shown_name
from activities.integrations.service_mails import ServiceMails
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, OutgoingMail, Sealer
from domain.core.service_name import ServiceName
from domain.identity.contracts import SendMailInput
from domain.identity.mailed_code import CodePlace, minutes_of
from domain.integrations.service_mail import ServiceMail
from domain.widget.code_mail import visitor_code_mail
from store.core.database import Database
from store.identity.mailed_codes import MailedCodeRepository
from store.integrations.mail_senders import MailSenderRepository


class SendVisitorCode:
    def __init__(
        self,
        database: Database,
        mail: ClientMail,
        service_mails: ServiceMails,
        sealer: Sealer,
        now: Clock,
        *,
        service: ServiceName,
    ) -> None:
        self._service = service
        self._database = database
        self._mail = mail
        self._service_mails = service_mails
        self._sealer = sealer
        self._now = now

    @activity.defn(name=names.SEND_VISITOR_CODE)
    async def send(self, step: SendMailInput) -> None:
        """Send the code by the client's verified sender, else as a fixed text of the service's. It
        is sent once, unless this worker dies with it handed over.

        Idempotency key: the Message-ID, made of the code's id. Raises MailUnreachable, for Temporal
        to retry until the code is too old. A refused mail, and one of unknown fate, is logged and
        not sent again: the visitor asks for another code.
        """
        tenant = TenantId(step.client_id)
        due = await self._due(tenant, step.record_id)
        if due is None:
            return
        mail, by_client = due
        if by_client:
            await self._mail.send_once(tenant, mail, ServiceMail.VISITOR_CODE)
        else:
            await self._service_mails.send_once(ServiceMail.VISITOR_CODE, mail, tenant)
        async with self._database.tenant(tenant) as connection:
            await MailedCodeRepository(connection, tenant, CodePlace.WIDGET).mailed(step.record_id)

    async def _due(self, tenant: TenantId, code_id: str) -> tuple[OutgoingMail, bool] | None:
        """The mail, and whether the client's own sender sends it."""
        # The shop's name stands with the clients, which span tenants.
        async with self._database.service() as connection:
            codes = MailedCodeRepository(connection, tenant, CodePlace.WIDGET)
            code = await codes.to_mail(code_id, self._now())
            if code is None:
                return None
            name = await shown_name(connection, tenant)
            if name is None:
                return None
            sender = await MailSenderRepository(connection, tenant).verified()
        mail = visitor_code_mail(
            code.id,
            to=code.email,
            language=code.language,
            code=self._sealer.unseal(code.sealed_code),
            minutes=minutes_of(CodePlace.WIDGET, is_shared=code.is_shared),
            shop=None if sender is None else name,
            service=self._service,
        )
        return mail, sender is not None
