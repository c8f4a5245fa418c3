"""Send visitor code: the mail that verifies the address of a widget's visitor."""

import structlog
from temporalio import activity

from activities.integrations.client_mail import ClientMail
from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, OutgoingMail, Sealer
from domain.identity.contracts import SendMailInput
from domain.integrations.errors import MailRefused, MailUnknown
from domain.tenants.errors import ClientNotFound
from domain.widget.code_mail import visitor_code_mail
from store.core.database import Database
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository
from store.widget.visitor_codes import VisitorCodeRepository

_log = structlog.get_logger(__name__)


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
        try:
            async with beating():
                await self._mail.send(tenant, mail)
        except (MailRefused, MailUnknown) as error:
            _log.warning("mail not sent", kind=step.kind, error_code=error.code)
        async with self._database.tenant(tenant) as connection:
            await VisitorCodeRepository(connection, tenant).mailed(step.record_id)

    async def _due(self, tenant: TenantId, code_id: str) -> OutgoingMail | None:
        # The shop's name stands with the clients, which span tenants.
        async with self._database.service() as connection:
            code = await VisitorCodeRepository(connection, tenant).to_mail(code_id, self._now())
            if code is None:
                return None
            settings = await SettingsRepository(connection, tenant).read()
            try:
                brand = await ClientRepository(connection).brand_name(tenant)
            except ClientNotFound:  # it is being erased
                return None
        return visitor_code_mail(
            code.id,
            to=code.email,
            language=code.language,
            code=self._sealer.unseal(code.sealed_code),
            shop=settings.branding.display_name or brand,
        )
