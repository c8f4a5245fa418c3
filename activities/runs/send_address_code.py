"""Send address code: the mail that proves the address of a ticket's author."""

from typing import Literal

import structlog
from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Mailer, OutgoingMail, Sealer
from domain.identity.contracts import SendMailInput
from domain.integrations.errors import MailRefused, MailUnknown
from domain.runs.code_mail import address_code_mail
from store.core.database import Database
from store.runs.address_codes import AddressCodeRepository

_log = structlog.get_logger(__name__)


class SendAddressCode:
    """By the service's own sender: the text is the service's, and has no word of the client."""

    def __init__(self, database: Database, mailer: Mailer, sealer: Sealer, now: Clock) -> None:
        self._database = database
        self._mailer = mailer
        self._sealer = sealer
        self._now = now

    @activity.defn(name=names.SEND_ADDRESS_CODE)
    async def send(self, step: SendMailInput) -> None:
        """Send the code once, unless this worker dies with it handed over.

        Idempotency key: the Message-ID, made of the code's id. Raises MailUnreachable, for Temporal
        to retry until the code is too old. A refused mail, and one of unknown fate, is logged and
        not sent again.
        """
        tenant = TenantId(step.client_id)
        mail = await self._due(tenant, step.record_id)
        if mail is None:
            return
        try:
            async with beating():
                await self._mailer.send(mail)
        except (MailRefused, MailUnknown) as error:
            _log.warning("mail not sent", mail=mail.name, error_code=error.code)
        async with self._database.tenant(tenant) as connection:
            await AddressCodeRepository(connection, tenant).mailed(step.record_id)

    async def _due(self, tenant: TenantId, code_id: str) -> OutgoingMail | None:
        async with self._database.tenant(tenant) as connection:
            code = await AddressCodeRepository(connection, tenant).to_mail(code_id, self._now())
        if code is None:
            return None
        return address_code_mail(
            code.id,
            to=code.email,
            language=_language(code.language),
            code=self._sealer.unseal(code.sealed_code),
        )


def _language(stored: str) -> Literal["fr", "en"]:
    return "en" if stored == "en" else "fr"
