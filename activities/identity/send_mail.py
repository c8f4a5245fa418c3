"""The activity that emails sign-in codes and invitations. It looks up the account after the
caller's response, whose timing therefore reveals nothing."""

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.integrations.service_mails import ServiceMails
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, OutgoingMail, Sealer
from domain.core.service_name import ServiceName
from domain.identity.contracts import SendMailInput
from domain.identity.mails import code_mail, invitation_mail, no_account_mail
from domain.integrations.service_mail import ServiceMail
from store.core.database import Database
from store.identity.codes import CodeRepository, CodeToMail
from store.identity.invitations import InvitationRepository, is_invited
from store.identity.people import address_of, user_of

_Mail = tuple[ServiceMail, OutgoingMail]

_log = structlog.get_logger(__name__)


class SendMail:
    """The activity that sends identity emails. `sign_up`, `invitations`: the URLs of the sign-up
    and invitation pages."""

    def __init__(
        self,
        database: Database,
        mails: ServiceMails,
        sealer: Sealer,
        now: Clock,
        *,
        sign_up: str,
        invitations: str,
        service: ServiceName,
    ) -> None:
        self._database = database
        self._mails = mails
        self._sealer = sealer
        self._now = now
        self._sign_up = sign_up
        self._invitations = invitations
        self._service = service

    @activity.defn(name=names.SEND_IDENTITY_MAIL)
    async def send(self, step: SendMailInput) -> None:
        """Send the email once. The email is sent twice only if the worker crashes after the mail
        server has accepted it.

        Idempotency key: the Message-ID, derived from the code's or invitation's id. Raises
        MailUnreachable, which Temporal retries until the code or invitation is too old. A rejected
        email, or one with an unknown outcome, is logged and not sent again: the recipient can
        request another.
        """
        async with self._database.service() as connection:
            mail = await self._mail(connection, step)
        if mail is None:
            return
        kind, written = mail
        await self._mails.send_once(kind, written, TenantId(step.client_id) or None)
        if step.kind == "code":
            async with self._database.service() as connection:
                await CodeRepository(connection).mailed(step.record_id)

    async def _mail(self, connection: AsyncConnection, step: SendMailInput) -> _Mail | None:
        if step.kind == "invitation":
            return await self._invitation(connection, TenantId(step.client_id), step.record_id)
        codes = CodeRepository(connection)
        code = await codes.to_mail(step.record_id, self._now())
        if code is None:
            return None
        return await self._code(connection, code)

    async def _code(self, connection: AsyncConnection, code: CodeToMail) -> _Mail:
        known = await user_of(connection, code.email) is not None
        wants_in = known or code.brand_name is not None
        if not wants_in and not await is_invited(connection, code.email, self._now()):
            return ServiceMail.NO_ACCOUNT, no_account_mail(
                code.id, code.email, code.language, sign_up=self._sign_up, service=self._service
            )
        secret = self._sealer.unseal(code.sealed_code)
        return ServiceMail.SIGN_IN_CODE, code_mail(
            code.id, code.email, code.language, secret, service=self._service
        )

    async def _invitation(
        self, connection: AsyncConnection, tenant: TenantId, invitation_id: str
    ) -> _Mail | None:
        invitation = await InvitationRepository(connection, tenant).find(invitation_id, self._now())
        if invitation is None:
            return None
        inviter = await address_of(connection, invitation.invited_by)
        return ServiceMail.INVITATION, invitation_mail(
            invitation, inviter, page=self._invitations, service=self._service
        )
