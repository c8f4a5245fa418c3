"""The activity that stores a run's outcome, messages, events and memory in one transaction."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.runs.joined_messages import end_joined, response_failed
from activities.runs.message_language import message_language
from activities.runs.outcome_event import answered, answers_in_place, event_of, is_unavailable
from activities.runs.ticket_return import lock_account, return_unused
from domain.agent.errors import failure_code
from domain.agent.escalation_reason import EscalationReason
from domain.agent.excerpt import introduced, is_excerpt
from domain.agent.policy_decision import blocked_for_good
from domain.agent.safety.acknowledgement import acknowledged_in, acknowledgement
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.runs.contracts import PersistInput, PersistResult, ReopenedRun
from domain.runs.run import RunResult, RunStatus, steps_executed
from domain.widget.contracts import LateAnswer
from store.core.database import Database
from store.intake.events import EventRepository
from store.reviews.answered_elsewhere import AnsweredElsewhere
from store.reviews.notices import review_to_notify
from store.runs.action_ledger import ActionLedger
from store.runs.conversations import ConversationRepository
from store.runs.runs import RunRepository, RunState
from store.runs.threads import ThreadRepository
from store.tenants.automation import AutomationStops
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.outbox import Outbox
from store.widget.answers_by_mail import AnswersByMailRepository
from store.widget.session_messages import SessionMessageRepository


class Persist:
    def __init__(self, database: Database, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.PERSIST)
    async def persist(self, step: PersistInput) -> PersistResult:
        """Store the outcome of a run. The first outcome determines the `duration_ms` shown to the
        caller, including waits for locks.

        Idempotency keys: run_id with its status, (run_id, round) for the review, and (event_id,
        direction) for the message. The webhook event's key is run_id, with the round for a review.
        The run's row is locked, so attempts cannot interleave.

        After a human's takeover, the message only joins the conversation's review. While automation
        is stopped, no new answer is stored.
        """
        tenant = TenantId(step.ref.client_id)
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            await lock_account(connection, tenant, step)
            stopped = await AutomationStops(connection, tenant).holds(step.ref.run_id)
            runs = RunRepository(connection, tenant)
            deliveries = DeliveryRepository(connection, tenant)
            reviews = AnsweredElsewhere(connection, tenant)
            reason = await reviews.hold_case(step.joined) if step.joined else step.escalation
            run = await runs.lock(step.ref.run_id)
            if run.status is RunStatus.COMPLETED and run.duration_ms is not None:
                return PersistResult(  # A sent answer cannot be undone.
                    duration_ms=run.duration_ms,
                    deliveries=await deliveries.pending_of_run(step.ref.run_id),
                    late_answer=await AnswersByMailRepository(connection, tenant).late(
                        step.ref.event_id
                    ),
                )
            if stopped and answers_in_place(step):
                await ActionLedger(connection, tenant).take_back_answer(step.ref.run_id, step.round)
                return PersistResult(duration_ms=_took(run, self._now()), stopped=True)
            if step.escalation is not None and step.round == 0:
                joined = await reviews.join_late(step.ref.event_id)
                if joined is not None:
                    return PersistResult(duration_ms=_took(run, self._now()), joined=joined)
            step = await _with_steps(connection, tenant, step)
            said = None if stopped else await _acknowledged(connection, tenant, step, run)
            now = self._now()
            result = _result(step, run, now).model_copy(update={"acknowledgement": said})
            await runs.finish(
                result,
                steps=step.steps,
                timings=step.timings,
                error_code=step.error_code,
                now=now,
                handoff=reason,
            )
            events = EventRepository(connection, tenant)
            if answered(step):
                await events.store_reply(
                    step.ref.event_id,
                    message_id=self._new_id(),
                    author="agent" if run.human_text is None else "human",
                    body=result.response,
                    now=now,
                )
            entry_id = self._new_id()
            await return_unused(connection, tenant, step, run, entry_id=entry_id, now=now)
            await self._settle_thread(connection, tenant, step, run, now)
            for kind in blocked_for_good(step.steps):
                await runs.take_off(step.ref.run_id, kind)
            review_id = step.joined or self._new_id()
            if step.escalation is not None:
                await reviews.ask(
                    step.ref,
                    escalation_id=review_id,
                    round_=step.round,
                    reason=step.escalation,
                    expires_at=now + timedelta(seconds=step.review_expiry_s),
                    now=now,
                    steps=step.steps,
                )
                review_id = await reviews.of_round(step.ref.run_id, step.round)
            reopened: tuple[ReopenedRun, ...] = ()
            if step.joined or run.status is RunStatus.NEEDS_REVIEW:
                reopened = await end_joined(connection, tenant, step, now, self._new_id)
            # This call must precede the call to the outbox because the conversation must be locked
            # before the ticket.
            await ConversationRepository(connection, tenant).remember(step.ref.event_id, now)
            asked = None if reason is None else (review_id, reason)
            fault = run.model_fault if is_unavailable(step) else None
            sent_event = event_of(
                step, result, run.ticket, took_ms=_took(run, now), asked=asked, fault=fault
            )
            failed = response_failed(run.ticket, failure_code(fault), fault) if fault else None
            for event in filter(None, (sent_event, failed)):
                await Outbox(connection, tenant).add(
                    event,
                    dedup_key=_dedup_key(step),
                    now=now,
                    new_id=self._new_id,
                    run_id=step.ref.run_id,
                )
            waiting = await deliveries.pending_of_run(step.ref.run_id)
            late = await _shown(connection, tenant, step) if run.in_widget else None
            opened = step.escalation is not None
            notice = await review_to_notify(connection, step.ref, step.round) if opened else ""
        return PersistResult(
            duration_ms=result.duration_ms,
            deliveries=waiting,
            late_answer=late,
            notice=notice,
            reopened=reopened,
            review_id=review_id if opened else "",
        )

    async def _settle_thread(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        step: PersistInput,
        run: RunState,
        now: datetime,
    ) -> None:
        """Store the facts that the message settled in the thread. The agent's question stays open
        only if the customer received the agent's text unedited."""
        if run.thread_after is None or run.conversation_id is None:
            return
        asked = answered(step) and run.human_text is None
        thread = run.thread_after if asked else run.thread_after.without_question
        await ThreadRepository(connection, tenant).keep(
            run.conversation_id, thread, sender=run.sender, now=now
        )


async def _with_steps(
    connection: AsyncConnection, tenant: TenantId, step: PersistInput
) -> PersistInput:
    """Return the input. If the executor failed before it returned any steps, add the steps that the
    action ledger contains."""
    if step.steps or step.escalation is not EscalationReason.TOOL_FAILURE:
        return step
    ledger_outcomes = await ActionLedger(connection, tenant).outcomes(step.ref.run_id)
    return step.model_copy(update={"steps": ledger_outcomes})


async def _shown(
    connection: AsyncConnection, tenant: TenantId, step: PersistInput
) -> LateAnswer | None:
    """Show the outcome to the widget visitor. Return a late answer, which is emailed if not seen,
    or None. Call this last in the transaction because it locks the session."""
    messages = SessionMessageRepository(connection, tenant)
    if not answered(step):
        await messages.changed_by(step.ref.event_id)
        return None
    if await messages.number(step.ref.event_id, "outbound") is None:
        return None
    return await AnswersByMailRepository(connection, tenant).late(step.ref.event_id)


async def _acknowledged(
    connection: AsyncConnection, tenant: TenantId, step: PersistInput, run: RunState
) -> str | None:
    """Return the immediate acknowledgement of a message that was handed off to a human agent, or
    None. A sensitive message and a message in an unsupported language get one, and so does an
    unsure answer from knowledge, as an excerpt."""
    if step.status is not RunStatus.NEEDS_REVIEW or run.in_shadow:
        return None
    brand = await ClientRepository(connection).brand_name(tenant)
    if run.sensitive is None:
        said = acknowledged_in(run.language, brand)
        return said or await _excerpt(connection, tenant, step, brand)
    settings = await SettingsRepository(connection, tenant).read()
    language = run.language or message_language(run.text)
    return acknowledgement(settings, language, brand, run.sensitive)


async def _excerpt(
    connection: AsyncConnection, tenant: TenantId, step: PersistInput, brand: str
) -> str | None:
    """Return the run's draft as an excerpt from knowledge, or None if the customer may not receive
    it before the review."""
    if step.escalation is not EscalationReason.LOW_CONFIDENCE or step.round or step.joined:
        return None
    settings = await SettingsRepository(connection, tenant).read()
    draft = await RunRepository(connection, tenant).held_draft(step.ref.run_id, step.escalation)
    return introduced(draft, settings, brand) if is_excerpt(draft, settings) else None


def _words(step: PersistInput, run: RunState) -> str:
    """Return the text of the response: empty during a review or without an answer in the plan. For
    a failed run, return the undelivered text."""
    if step.status is RunStatus.FAILED or answered(step):
        return run.draft if run.human_text is None else run.human_text
    return ""


def _took(run: RunState, now: datetime) -> int:
    # The clocks of two machines may differ slightly, but a latency must not be negative.
    return max(0, round((now - run.received_at).total_seconds() * 1000))


def _result(step: PersistInput, run: RunState, now: datetime) -> RunResult:
    return RunResult(
        event_id=step.ref.event_id,
        run_id=step.ref.run_id,
        status=step.status,
        classification=run.classification,
        confidence=run.confidence,
        response=_words(step, run),
        steps_executed=steps_executed(step.steps),
        duration_ms=_took(run, now) if run.duration_ms is None else run.duration_ms,
    )


def _dedup_key(step: PersistInput) -> str:
    run_id = step.ref.run_id
    return run_id if step.escalation is None else f"{run_id}:{step.round}"
