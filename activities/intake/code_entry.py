"""Check ticket messages for an emailed verification code. A message with the correct code verifies
its author's address."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.identity.mailed_code import CodePlace, is_mailed_code
from domain.intake.address_claim import asking_again, can_be_proved, proved_by, typed_code
from domain.intake.customer_email import customer_key
from domain.intake.event import UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress
from store.identity.mailed_codes import MailedCodeRepository
from store.intake.events import EventRepository


async def with_code(
    connection: AsyncConnection,
    tenant: TenantId,
    event: UnifiedEvent,
    conversation_id: str,
    *,
    sealer: Sealer,
    now: datetime,
) -> UnifiedEvent:
    """Return the event, with its address verified if a correct code was entered in this message or
    earlier in the thread.

    The caller must have locked the thread, which belongs to one author and address in a ticket. In
    other threads, only a shared code is accepted (`domain/identity/mailed_code.py`). Concurrent
    attempts are all counted. After a correct code, the event gets the text of the earlier question,
    which the agent may answer but not act on.
    """
    email = customer_key(event.customer_email)
    if email is None or not can_be_proved(event):
        return event
    codes = MailedCodeRepository(connection, tenant, CodePlace.TICKET)
    proved = ProvedAddress(address=email, by=ProofKind.CODE)
    if await codes.is_proved(conversation_id, email, now):
        return proved_by(event, proved)
    typed = typed_code(event.text)
    if typed is None or await codes.question(conversation_id, email) is None:
        return event
    tried = await codes.take_try(conversation_id, now)
    # The list comprehension compares every code. A generator would stop at the first match, and the
    # timing would reveal the match.
    right = [
        one
        for one in tried
        if is_mailed_code(
            sealer, CodePlace.TICKET, tenant, one.code_id, presented=typed, digest=one.digest
        )
    ]
    if not right:
        return event.model_copy(update={"code_refused": True})
    await codes.prove(conversation_id, tried, now)
    question = await EventRepository(connection, tenant).unified(right[0].question_id)
    proven = proved_by(event, proved)
    return proven if question is None else asking_again(proven, question)
