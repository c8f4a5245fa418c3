"""Code entry: a message in a ticket that brings the code proves its author's address."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.intake.address_claim import asking_again, can_be_proved, proved_by, typed_code
from domain.intake.customer_email import customer_key
from domain.intake.event import UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress
from domain.runs.address_code import is_address_code
from store.intake.events import EventRepository
from store.runs.address_codes import AddressCodeRepository


async def with_code(
    connection: AsyncConnection,
    tenant: TenantId,
    event: UnifiedEvent,
    conversation_id: str,
    *,
    sealer: Sealer,
    now: datetime,
) -> UnifiedEvent:
    """The event, its address proved if a code was typed in its thread, now or before.

    The thread belongs to one author and one address in one ticket, and is locked: a code of another
    thread is no code here, and of tries at once each counts. The event that brings the right code
    asks what was asked before it.
    """
    email = customer_key(event.customer_email)
    if email is None or not can_be_proved(event):
        return event
    codes = AddressCodeRepository(connection, tenant)
    proved = ProvedAddress(address=email, by=ProofKind.CODE)
    if await codes.is_proved(conversation_id, email, now):
        return proved_by(event, proved)
    typed = typed_code(event.text)
    if typed is None or await codes.question(conversation_id, email) is None:
        return event
    tried = await codes.take_try(conversation_id, email, now)
    # A list, not a generator: each comparison is made.
    right = [one for one in tried if is_address_code(sealer, tenant, one.id, typed, one.digest)]
    if not right:
        return event.model_copy(update={"code_refused": True})
    await codes.prove(conversation_id, email, right[0].id, [one.id for one in tried], now)
    question = await EventRepository(connection, tenant).unified(right[0].question_id)
    proven = proved_by(event, proved)
    return proven if question is None else asking_again(proven, question)
