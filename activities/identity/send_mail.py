"""Send mail: sign-in codes and invitations.

Whether an address has an account is looked up here, long after the caller was answered.
"""

from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Mailer, OutgoingMail, Sealer
from domain.core.service_name import ServiceName
from domain.identity.contracts import SendMailInput
from domain.identity.mails import code_mail, invitation_mail, no_account_mail
from domain.integrations.errors import MailRefused, MailUnknown
from domain.tenants.errors import ClientNotFound
from store.core.database import Database
from store.identity.codes import CodeRepository, CodeToMail
from store.identity.invitations import InvitationRepository, is_invited
from store.identity.people import user_of
from store.tenants.clients import ClientRepository

_HOUR: Final = timedelta(hours=1)

_log = structlog.get_logger(__name__)


class SendMail:
    """`sign_in`: the page's address. `accounts_an_hour`: how many may be opened in the whole
    installation."""

    def __init__(
        self,
        database: Database,
        mailer: Mailer,
        sealer: Sealer,
        now: Clock,
        *,
        sign_in: str,
        service: ServiceName,
        accounts_an_hour: int,
    ) -> None:
        self._database = database
        self._mailer = mailer
        self._sealer = sealer
        self._now = now
        self._sign_in = sign_in
        self._service = service
        self._accounts_an_hour = accounts_an_hour

    @activity.defn(name=names.SEND_IDENTITY_MAIL)
    async def send(self, step: SendMailInput) -> None:
        """Send the mail once, unless this worker dies with it handed over.

        Idempotency key: the Message-ID, made of the record's. Raises MailUnreachable, for Temporal
        to retry until the record is too old. A refused mail, and one of unknown fate, is logged and
        not sent again: who waits for it asks again.
        """
        async with self._database.service() as connection:
            mail = await self._mail(connection, step)
        if mail is None:
            return
        try:
            async with beating():
                await self._mailer.send(mail)
        except (MailRefused, MailUnknown) as error:
            _log.warning("mail not sent", kind=step.kind, error_code=error.code)
        if step.kind == "code":
            async with self._database.service() as connection:
                await CodeRepository(connection).mailed(step.record_id)

    async def _mail(self, connection: AsyncConnection, step: SendMailInput) -> OutgoingMail | None:
        if step.kind == "invitation":
            return await self._invitation(connection, TenantId(step.client_id), step.record_id)
        codes = CodeRepository(connection)
        code = await codes.to_mail(step.record_id, self._now())
        if code is None:
            return None
        mail = await self._code(connection, codes, code)
        if mail is None:
            await codes.mailed(code.id)
        return mail

    async def _code(
        self, connection: AsyncConnection, codes: CodeRepository, code: CodeToMail
    ) -> OutgoingMail | None:
        """None: it would open one account more than an hour may have."""
        now = self._now()
        known = await user_of(connection, code.email) is not None
        if not known and not await is_invited(connection, code.email, now):
            if code.brand_name is None:
                return no_account_mail(
                    code.id, code.email, code.language, sign_in=self._sign_in, service=self._service
                )
            if not await codes.opens_account(code.id, now - _HOUR, self._accounts_an_hour):
                # Operators watch for this line (docs/accounts.md).
                _log.error("sign-up held back", accounts_an_hour=self._accounts_an_hour)
                return None
        secret = self._sealer.unseal(code.sealed_code)
        return code_mail(code.id, code.email, code.language, secret, service=self._service)

    async def _invitation(
        self, connection: AsyncConnection, tenant: TenantId, invitation_id: str
    ) -> OutgoingMail | None:
        invitation = await InvitationRepository(connection, tenant).find(invitation_id, self._now())
        if invitation is None:
            return None
        try:
            brand = await ClientRepository(connection).brand_name(tenant)
        except ClientNotFound:  # it is being erased
            return None
        return invitation_mail(invitation, brand, sign_in=self._sign_in, service=self._service)
