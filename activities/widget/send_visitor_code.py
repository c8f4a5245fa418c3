"""The activity that emails a widget visitor a code to verify the visitor's address."""

from temporalio import activity

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


class SendVisitorCode:
    def __init__(
        self,
        database: Database,
        mails: ServiceMails,
        sealer: Sealer,
        now: Clock,
        *,
        service: ServiceName,
    ) -> None:
        self._service = service
        self._database = database
        self._mails = mails
        self._sealer = sealer
        self._now = now

    @activity.defn(name=names.SEND_VISITOR_CODE)
    async def send(self, step: SendMailInput) -> None:
        """Send the code from the service's sender, once. The email is sent twice only if the worker
        crashes after the mail server has accepted it.

        The client's own sender is not used, because its owner could read the code. Idempotency key:
        the Message-ID, derived from the code's id. Raises MailUnreachable, which Temporal retries
        until the code is too old. A rejected email, or one with an unknown outcome, is logged and
        not sent again: the visitor can request another code.
        """
        tenant = TenantId(step.client_id)
        mail = await self._due(tenant, step.record_id)
        if mail is None:
            return
        await self._mails.send_once(ServiceMail.VISITOR_CODE, mail, tenant)
        async with self._database.tenant(tenant) as connection:
            await MailedCodeRepository(connection, tenant, CodePlace.WIDGET).mailed(step.record_id)

    async def _due(self, tenant: TenantId, code_id: str) -> OutgoingMail | None:
        async with self._database.tenant(tenant) as connection:
            codes = MailedCodeRepository(connection, tenant, CodePlace.WIDGET)
            code = await codes.to_mail(code_id, self._now())
        if code is None:
            return None
        return visitor_code_mail(
            code.id,
            to=code.email,
            language=code.language,
            code=self._sealer.unseal(code.sealed_code),
            minutes=minutes_of(CodePlace.WIDGET, is_shared=code.is_shared),
            service=self._service,
        )
