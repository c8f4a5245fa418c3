"""Codes that verify a customer's email address. If an answer asks for a code, the code is created
and emailed before the answer is sent."""

import secrets
from typing import Literal

from temporalio import activity

from activities.integrations.service_mails import ServiceMails
from activities.runs.message_language import message_language
from domain.agent.plan import PlannedAction
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, OutgoingMail, Sealer
from domain.identity.contracts import SendMailInput
from domain.identity.mailed_code import (
    NUMBERS,
    CodeKind,
    CodePlace,
    mailed_code_digest,
    minutes_of,
)
from domain.identity.ports import MailStarter
from domain.intake.address_claim import can_be_proved, requester_of
from domain.intake.customer_email import customer_key
from domain.integrations.service_mail import ServiceMail
from domain.runs.address_code_mail import address_code_mail
from store.core.database import Database
from store.identity.mailed_codes import NOTHING, MailedCodeRepository, NewMailedCode
from store.runs.cases import Case
from store.tenants.automation import AutomationStops


class AddressCodes:
    """Create and email codes that verify a customer's address, from the service's own sender.
    `mails` starts the workflow that calls `send`."""

    def __init__(
        self,
        database: Database,
        sealer: Sealer,
        now: Clock,
        *,
        service_mails: ServiceMails,
        mails: MailStarter,
    ) -> None:
        self._database = database
        self._service_mails = service_mails
        self._sealer = sealer
        self._mails = mails
        self._now = now

    async def mail_for(
        self,
        tenant: TenantId,
        run_id: str,
        event_id: str,
        case: Case,
        plan: tuple[PlannedAction, ...],
    ) -> None:
        """Create the code that the plan's answer asks for, and start the workflow that emails it.
        Idempotent per run.

        Beyond a limit, the same work is done without an email, so that neither the answer nor its
        timing reveals a customer. Raises EngineUnavailable.
        """
        email, conversation_id = customer_key(case.event.customer_email), case.conversation_id
        if not any(action.mails_code for action in plan) or email is None:
            return
        if conversation_id is None or not can_be_proved(case.event):
            return
        async with self._database.tenant(tenant) as connection:
            codes = MailedCodeRepository(connection, tenant, CodePlace.TICKET)
            requester, now = requester_of(case.event, conversation_id), self._now()
            made = await codes.made(conversation_id, email, requester, now)
            code = made.text_of_next(secrets.randbelow(NUMBERS))
            # If the message contains only an incorrect code, keep the earlier question.
            earlier = await codes.question(conversation_id, email)
            question = earlier if case.event.code_refused else None
            digest = mailed_code_digest(self._sealer, CodePlace.TICKET, tenant, run_id, code)
            sealed, is_mailed = self._sealer.seal(code), made.next_kind is not CodeKind.HELD_BACK
            new = NewMailedCode(
                id=run_id,
                place_id=conversation_id,
                question_id=question or event_id,
                email=email,
                requester=requester,
                language=_spoken(case),
                digest=digest if is_mailed else NOTHING,
                sealed_code=sealed if is_mailed else None,
                is_shared=made.next_kind is CodeKind.SHARED,
            )
            await codes.create(new, now)
        await self._mails.mail(
            SendMailInput(kind="address_code", record_id=run_id, client_id=tenant)
        )

    @activity.defn(name=names.SEND_ADDRESS_CODE)
    async def send(self, step: SendMailInput) -> None:
        """Send the code once. The email is sent twice only if the worker crashes after the mail
        server has accepted it.

        Idempotency key: the Message-ID, derived from the code's id. Raises MailUnreachable, which
        Temporal retries until the code is too old. A rejected email, or one with an unknown
        outcome, is logged and not sent again.
        """
        tenant = TenantId(step.client_id)
        mail = await self._due(tenant, step.record_id)
        if mail is None:
            return
        await self._service_mails.send_once(ServiceMail.TICKET_CODE, mail, tenant)
        async with self._database.tenant(tenant) as connection:
            codes = MailedCodeRepository(connection, tenant, CodePlace.TICKET)
            await codes.mailed(step.record_id)

    async def _due(self, tenant: TenantId, code_id: str) -> OutgoingMail | None:
        async with self._database.tenant(tenant) as connection:
            # A code has the same id as its run.
            if await AutomationStops(connection, tenant).holds(code_id):
                return None
            codes = MailedCodeRepository(connection, tenant, CodePlace.TICKET)
            code = await codes.to_mail(code_id, self._now())
        if code is None:
            return None
        return address_code_mail(
            code.id,
            to=code.email,
            language=_language(code.language),
            code=self._sealer.unseal(code.sealed_code),
            minutes=minutes_of(CodePlace.TICKET, is_shared=code.is_shared),
        )


def _spoken(case: Case) -> str:
    """Return the language of the message, or the language of the thread if the message contains
    only a code."""
    spoken = None if case.event.code_refused else message_language(case.event.words)
    return spoken or case.thread.language or "fr"


def _language(stored: str) -> Literal["fr", "en"]:
    return "en" if stored == "en" else "fr"
