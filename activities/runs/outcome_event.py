"""The webhook event that reports the outcome of a run."""

from activities.runs.joined_messages import error_code, response_failed
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.agent.plan import IN_PLACE, REPLIES, StepState
from domain.agent.policy_decision import left_to_people
from domain.runs.contracts import PersistInput
from domain.runs.run import RunResult, RunStatus
from domain.webhooks.outbound_event import (
    OutboundEvent,
    TicketEscalated,
    TicketResolved,
    fitting,
)
from store.runs.tickets import Ticket


def answered(step: PersistInput) -> bool:
    """Return whether the customer now has an answer. A completed run may have sent none, because
    some plans only add notes and some contain no action."""
    return step.status is RunStatus.COMPLETED and any(
        done.kind in REPLIES and done.state is StepState.DONE for done in step.steps
    )


def answers_in_place(step: PersistInput) -> bool:
    """Return True if storing the answer is enough to deliver it to the customer."""
    return answered(step) and any(
        done.kind in IN_PLACE and done.kind in REPLIES and done.state is StepState.DONE
        for done in step.steps
    )


def is_unavailable(step: PersistInput) -> bool:
    """Return whether the run needs a review because the language model produced no answer."""
    return step.escalation is EscalationReason.MODEL_UNAVAILABLE


def event_of(
    step: PersistInput,
    result: RunResult,
    ticket: Ticket,
    *,
    took_ms: int,
    asked: tuple[str, EscalationReason] | None,
    fault: ModelFault | None = None,
) -> OutboundEvent | None:
    """Return the webhook event for a run's outcome, or None. `asked` is the pending review with its
    reason, or None. `fault` is the fault of the language model, if it caused the review."""
    if left_to_people(step.steps):
        return None  # A human agent answers in the helpdesk.
    if asked is not None:
        review_id, reason = asked
        return TicketEscalated(
            ticket_id=ticket.ticket_id,
            customer_email=ticket.customer_email,
            classification=result.classification,
            confidence=result.confidence,
            reason=reason,
            review_id=review_id,
            model_fault=fault,
        )
    if step.status is RunStatus.FAILED:
        return response_failed(ticket, error_code(step))
    if not answered(step):
        return None
    shown = fitting(result.response)
    return TicketResolved(
        ticket_id=ticket.ticket_id,
        customer_email=ticket.customer_email,
        classification=result.classification,
        confidence=result.confidence,
        ai_response=shown,
        ai_response_truncated=shown != result.response,
        duration_ms=took_ms,
    )
