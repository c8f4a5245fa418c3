"""Start sending a member's reply and record its outcome, each in one transaction.

The start writes to the action ledger before any other system is called, and closes the answered
messages' open reviews.
"""

from dataclasses import dataclass, replace
from typing import Final

from domain.agent.plan import IN_PLACE, PlannedAction, StepOutcome, StepState
from domain.core.attached_file import AttachedFile
from domain.integrations.integration import Integration
from domain.integrations.providers import HELPDESKS, Provider
from domain.runs.errors import (
    ConversationNotFound,
    ReplyNotFound,
    ReplyNotPossible,
    RunNotFound,
)
from domain.runs.teammate_reply import (
    ANSWERED_MEANWHILE,
    AUTHOR_REMOVED,
    CONNECTION_CHANGED,
    NO_MESSAGE,
    ReplyState,
    TeammateReply,
)
from domain.tenants.actor import REVIEWERS, Actor
from domain.webhooks.outbound_event import TicketResolved, fitting
from services.core.unit_of_work import UnitOfWork
from services.reviews.replies import delivery_of
from store.intake.events import EventRepository
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.integrations.integrations import IntegrationRepository
from store.learning.shadow_drafts import ShadowDrafts
from store.reviews.answered_elsewhere import AnsweredElsewhere
from store.reviews.replies import ReplyRepository
from store.reviews.reply_files import ReplyFileRepository
from store.runs.action_ledger import ActionLedger, Effect, LedgerClaim, LedgerPlace
from store.runs.cases import Case, CaseRepository
from store.runs.conversations import ConversationRepository
from store.tenants.members import MemberRepository
from store.webhooks.outbox import Outbox
from store.widget.session_messages import SessionMessageRepository

_REPLY: Final = Actor.system("reply")
_STATES: Final = {
    StepState.DONE: ReplyState.SENT,
    StepState.UNKNOWN: ReplyState.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class StartedReply:
    """A reply to send through another system. `case` is the answered run, with the reply as the
    human answer. `entry_id` is the claim in the action ledger."""

    reply: TeammateReply
    case: Case
    action: PlannedAction
    integration: Integration | None
    claim: LedgerClaim
    entry_id: str
    files: tuple[AttachedFile, ...] = ()


def place_of(reply: TeammateReply) -> LedgerPlace:
    """Return the reply's key in the action ledger."""
    return LedgerPlace(reply.run_id, reply.step, 0)


async def start_reply(work: UnitOfWork, reply_id: str) -> StartedReply | None:
    """Start sending a reply. Return None if no other system must be called.

    A reply is not sent if another answer was approved or sent since, or if its author may no longer
    answer customers. A reply by the widget or by a webhook event is delivered in this transaction.
    Idempotent: a started reply is returned with `again` set in its claim.
    """
    found = await _to_send(work, reply_id)
    if found is None:
        return None
    reply, case = found
    action = await delivery_of(work, case.event)
    ledger, entry_id = ActionLedger(work.connection, work.tenant), work.new_id()
    effect = Effect(action.kind, action.integration_id, ticket_id=action.ticket_id)
    earlier = await ledger.unfinished(place_of(reply))
    ledger_claim = await ledger.begin(place_of(reply), effect, entry_id=entry_id, now=work.now)
    await _step_in(work, reply)
    if isinstance(ledger_claim, StepOutcome):
        await _settle(work, reply, ledger_claim)
        return None
    if earlier is not None and earlier != effect:
        # The interrupted attempt used another connection and may have sent the reply, so the
        # outcome is unknown.
        unsure = StepOutcome(kind=earlier.kind, state=StepState.UNKNOWN, detail=CONNECTION_CHANGED)
        await settle_reply(work, reply, unsure, reference="")
        return None
    if action.kind in IN_PLACE:
        outcome = await _in_place(work, reply, case, action)
        await settle_reply(work, reply, outcome, reference="")
        return None
    if reply.state is ReplyState.SCHEDULED:
        await ReplyRepository(work.connection, work.tenant).begin(reply_id)
    case = replace(case, human_text=reply.body)
    integration = await _integration(work, action)
    files = await ReplyFileRepository(work.connection, work.tenant).content_of(reply_id)
    return StartedReply(reply, case, action, integration, ledger_claim, entry_id, files)


async def _to_send(work: UnitOfWork, reply_id: str) -> tuple[TeammateReply, Case] | None:
    """Lock the conversation and the reply, and return the reply with the run that it answers.
    Return None if the reply must not be sent."""
    replies = ReplyRepository(work.connection, work.tenant)
    try:
        await replies.lock_conversation((await replies.read(reply_id)).conversation_id)
        reply = await replies.lock(reply_id)
        if reply.state.is_final:
            return None
        case = await CaseRepository(work.connection, work.tenant).read(reply.run_id)
    except (ReplyNotFound, ConversationNotFound, RunNotFound):
        return None  # The reply was undone, or its customer is being erased.
    if reply.state is not ReplyState.SCHEDULED:
        return reply, case
    refusal = await _refusal(work, reply, case)
    if refusal is not None:
        await replies.settle(reply_id, ReplyState.FAILED, error_code=refusal, now=work.now)
        return None
    return reply, case


async def _refusal(work: UnitOfWork, reply: TeammateReply, case: Case) -> str | None:
    """Return why a scheduled reply must not be sent, as an error code, or None."""
    replies = ReplyRepository(work.connection, work.tenant)
    # Removing a member cancels the member's replies. However, a request that was authorized before
    # the removal may have stored a reply after it.
    if await replies.is_by_member(reply.id):
        role = await MemberRepository(work.connection).role(reply.author, work.tenant)
        if role not in REVIEWERS:
            return AUTHOR_REMOVED
    if await replies.is_answered(reply) or await _is_answered_in_helpdesk(work, reply, case):
        return ANSWERED_MEANWHILE
    return None


async def _is_answered_in_helpdesk(work: UnitOfWork, reply: TeammateReply, case: Case) -> bool:
    event = case.event
    if not (event.is_in_ticket and event.ticket_id and event.platform in HELPDESKS):
        return False
    pauses = HelpdeskPauseRepository(work.connection, work.tenant)
    platform = Provider(event.platform)
    return await pauses.was_paused_since(platform, event.ticket_id, reply.created_at)


async def settle_reply(
    work: UnitOfWork, reply: TeammateReply, outcome: StepOutcome, *, reference: str
) -> None:
    """Record the outcome of a reply started by `start_reply`. `reference` is the other system's
    message id. Idempotent."""
    replies = ReplyRepository(work.connection, work.tenant)
    ledger = ActionLedger(work.connection, work.tenant)
    await ledger.finish(place_of(reply), outcome, reference=reference, now=work.now)
    try:
        await replies.lock_conversation(reply.conversation_id)
        standing = await replies.lock(reply.id)
    except (ReplyNotFound, ConversationNotFound):
        return  # The customer was erased while the reply was being sent.
    if not standing.state.is_final:
        await _settle(work, standing, outcome)


async def fail_reply(work: UnitOfWork, reply_id: str, error_code: str) -> None:
    """Record that a reply could not be sent, or that its outcome is unknown if sending never
    finished. Idempotent."""
    replies = ReplyRepository(work.connection, work.tenant)
    try:
        reply = await replies.lock(reply_id)
    except ReplyNotFound:
        return
    if reply.state.is_final:
        return
    ledger = ActionLedger(work.connection, work.tenant)
    earlier = await ledger.unfinished(place_of(reply))
    state = ReplyState.FAILED if earlier is None else ReplyState.UNKNOWN
    if earlier is not None:
        unsure = StepOutcome(kind=earlier.kind, state=StepState.UNKNOWN, detail=error_code)
        await ledger.finish(place_of(reply), unsure, reference="", now=work.now)
    await replies.settle(reply_id, state, error_code=error_code, now=work.now)


async def _in_place(
    work: UnitOfWork, reply: TeammateReply, case: Case, action: PlannedAction
) -> StepOutcome:
    """Return the outcome of a reply that is delivered by storing it. Delivery fails if the
    customer's message can no longer be answered in this way."""
    answered = await ReplyRepository(work.connection, work.tenant).message_of(reply, work.now)
    if answered is None:
        return StepOutcome(kind=action.kind, state=StepState.FAILED, detail=NO_MESSAGE)
    try:
        files = await ReplyFileRepository(work.connection, work.tenant).of_reply(reply.id)
        answered.with_event(case.event).check_answerable(action, has_files=bool(files))
    except ReplyNotPossible as error:
        return StepOutcome(kind=action.kind, state=StepState.FAILED, detail=error.reason)
    return StepOutcome(kind=action.kind, state=StepState.DONE)


async def _integration(work: UnitOfWork, action: PlannedAction) -> Integration | None:
    connected = await IntegrationRepository(work.connection, work.tenant).connected()
    return next((one for one in connected if one.id == action.integration_id), None)


async def _step_in(work: UnitOfWork, reply: TeammateReply) -> None:
    """Hand off the conversation to human agents. Close the open reviews of the messages that the
    reply answers, and take over the conversation for the reply's author."""
    reviews = AnsweredElsewhere(work.connection, work.tenant)
    for ref, review_id in await reviews.close_in(
        reply.conversation_id, reply.author, work.now, answered=reply.event_id
    ):
        work.wake(ref, review_id)
        work.note(_REPLY, "review answered with a reply", review_id=review_id, reply_id=reply.id)
    await ReplyRepository(work.connection, work.tenant).take_over(reply, work.now)


async def _settle(work: UnitOfWork, reply: TeammateReply, outcome: StepOutcome) -> None:
    replies = ReplyRepository(work.connection, work.tenant)
    state = _STATES.get(outcome.state, ReplyState.FAILED)
    code = outcome.detail or None
    await replies.settle(reply.id, state, error_code=code, now=work.now)
    if state is not ReplyState.SENT:
        return
    if not await replies.store_message(reply, work.new_id(), work.now):
        return  # The customer is being erased.
    await ConversationRepository(work.connection, work.tenant).remember(reply.event_id, work.now)
    await ShadowDrafts(work.connection, work.tenant).replied(
        reply.conversation_id, reply.body, work.now
    )
    await _report(work, reply)
    # This is the last step of the transaction because it locks the widget session.
    await SessionMessageRepository(work.connection, work.tenant).number_reply(reply.id)


async def _report(work: UnitOfWork, reply: TeammateReply) -> None:
    """Add the webhook event for a sent reply. The deliveries start after the commit."""
    ticket = await EventRepository(work.connection, work.tenant).ticket(reply.event_id)
    run = await ReplyRepository(work.connection, work.tenant).run_of(reply)
    shown = fitting(reply.body)
    resolved_event = TicketResolved(
        ticket_id=ticket.ticket_id,
        customer_email=ticket.customer_email,
        classification=run.classification,
        confidence=run.confidence,
        ai_response=shown,
        ai_response_truncated=shown != reply.body,
        duration_ms=max(0, round((work.now - run.received_at).total_seconds() * 1000)),
    )
    deliveries = await Outbox(work.connection, work.tenant).add(
        resolved_event, dedup_key=reply.id, now=work.now, new_id=work.new_id, run_id=reply.run_id
    )
    work.deliver(*deliveries)
