"""When a case ends, complete the messages that were added to it. A case is the review of an earlier
message in the same conversation."""

from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.model_fault import ModelFault
from domain.agent.plan import StepState
from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.runs.contracts import PersistInput, ReopenedRun
from domain.runs.run import RunStatus
from domain.webhooks.outbound_event import TicketResponseFailed
from store.intake.events import EventRepository
from store.reviews.escalations import EscalationRepository
from store.runs.tickets import Ticket
from store.webhooks.outbox import Outbox

_FAILED: Final = "The agent could not answer this ticket."
_ACTION_FAILED: Final = "action_failed"


async def end_joined(
    connection: AsyncConnection,
    tenant: TenantId,
    step: PersistInput,
    now: datetime,
    new_id: NewId,
) -> tuple[ReopenedRun, ...]:
    """Complete the messages that were added to a case. Reopen and return the runs that the case's
    answer does not cover.

    If the decision could not be executed, humans handle the conversation, and a webhook event
    reports each message as failed. The case's workflow sends these events because the messages' own
    have ended.
    """
    reviews = EscalationRepository(connection, tenant)
    if step.joined or step.status is RunStatus.COMPLETED:
        reopened = await reviews.close_joined(step.ref.run_id, now)
        # An added message's workflow might not have ended yet. In that case, the sweep later starts
        # the reopened run.
        return () if step.joined else tuple(reopened)
    if step.status is not RunStatus.FAILED:
        return ()
    code = error_code(step)
    for message in await reviews.fail_case(step.ref.run_id, code, now):
        ticket = await EventRepository(connection, tenant).ticket(message.event_id)
        await Outbox(connection, tenant).add(
            response_failed(ticket, code),
            dedup_key=message.run_id,
            now=now,
            new_id=new_id,
            run_id=step.ref.run_id,
        )
    return ()


def error_code(step: PersistInput) -> str:
    """Return the error code of a failed run."""
    failed = (done.detail for done in step.steps if done.state is StepState.FAILED)
    return step.error_code or next(failed, "") or _ACTION_FAILED


def response_failed(
    ticket: Ticket, code: str, fault: ModelFault | None = None
) -> TicketResponseFailed:
    """Return the webhook event for a failed response in a ticket. `code` is the error's stable
    code. `fault` is the fault of the language model, if it is the cause."""
    return TicketResponseFailed(
        ticket_id=ticket.ticket_id,
        customer_email=ticket.customer_email,
        error_code=code,
        message=_FAILED,
        model_fault=fault,
    )
