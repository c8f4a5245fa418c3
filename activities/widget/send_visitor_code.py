"""Send visitor code: the mail that verifies the address of a widget's visitor."""

from temporalio import activity

from activities.integrations.client_mail import ClientMail, shown_name
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, OutgoingMail, Sealer
from domain.identity.contracts import SendMailInput
from domain.widget.code_mail import visitor_code_mail
from store.core.database import Database
from store.widget.visitor_codes import VisitorCodeRepository


class SendVisitorCode:
    def __init__(self, database: Database, mail: ClientMail, sealer: Sealer, now: Clock) -> None:
        self._database = database
        self._mail = mail
        self._sealer = sealer
        self._now = now

    @activity.defn(name=names.SEND_VISITOR_CODE)
    async def send(self, step: SendMailInput) -> None:
        """Send the code in the client's name, once unless this worker dies with it handed over.

        Idempotency key: the Message-ID, made of the code's id. Raises MailUnreachable, for Temporal
        to retry until the code is too old. A refused mail, and one of unknown fate, is logged and
        not sent again: the visitor asks for another code.
        """
        tenant = TenantId(step.client_id)
        mail = await self._due(tenant, step.record_id)
        if mail is None:
            return
        await self._mail.send_once(tenant, mail)
        async with self._database.tenant(tenant) as connection:
            await VisitorCodeRepository(connection, tenant).mailed(step.record_id)

    async def _due(self, tenant: TenantId, code_id: str) -> OutgoingMail | None:
        # The shop's name stands with the clients, which span tenants.
        async with self._database.service() as connection:
            code = await VisitorCodeRepository(connection, tenant).to_mail(code_id, self._now())
            if code is None:
                return None
            name = await shown_name(connection, tenant)
            if name is None:
                return None
        return visitor_code_mail(
            code.id,
            to=code.email,
            language=code.language,
            code=self._sealer.unseal(code.sealed_code),
            shop=name,
        )
