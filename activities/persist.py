"""Persist: the run's outcome, its messages and the memory of it, in one transaction."""

from datetime import timedelta
from typing import Literal

from temporalio import activity

from domain import names
from domain.contracts import PersistInput, PersistResult
from domain.ids import TenantId
from domain.ports import Clock, NewId
from domain.run import RunResult, RunStatus, steps_executed
from store.conversation_repository import ConversationRepository
from store.database import Database
from store.escalation_repository import EscalationRepository
from store.event_repository import EventRepository
from store.run_repository import RunRepository, RunState


class Persist:
    def __init__(self, database: Database, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.PERSIST)
    async def persist(self, step: PersistInput) -> PersistResult:
        """Write the outcome; the first one fixes the caller's duration_ms.

        Idempotency keys: run_id with its status, (run_id, round) for the escalation, (event_id,
        direction) for the message. The run's row is locked, so two attempts cannot interleave.
        """
        tenant = TenantId(step.ref.client_id)
        now = self._now()
        async with self._database.tenant(tenant) as connection:
            runs = RunRepository(connection, tenant)
            run = await runs.lock(step.ref.run_id)
            if run.status is RunStatus.COMPLETED and run.duration_ms is not None:
                return PersistResult(duration_ms=run.duration_ms)  # nothing undoes an answer
            duration_ms = run.duration_ms
            if duration_ms is None:
                # Two machines' clocks may disagree by a little; no latency is negative.
                duration_ms = max(0, round((now - run.received_at).total_seconds() * 1000))
            text, author = _words(step, run)
            await runs.finish(
                RunResult(
                    event_id=step.ref.event_id,
                    run_id=step.ref.run_id,
                    status=step.status,
                    classification=run.classification,
                    confidence=run.confidence,
                    response=text,
                    steps_executed=steps_executed(step.steps),
                    duration_ms=duration_ms,
                ),
                steps=step.steps,
                timings=step.timings,
                error_code=step.error_code,
                now=now,
            )
            if step.escalation is not None:
                await EscalationRepository(connection, tenant).open(
                    step.ref,
                    escalation_id=self._new_id(),
                    round_=step.round,
                    reason=step.escalation,
                    expires_at=now + timedelta(seconds=step.review_expiry_s),
                    now=now,
                )
            events = EventRepository(connection, tenant)
            if step.status is RunStatus.COMPLETED and steps_executed(step.steps) > 0:
                await events.store_reply(
                    step.ref.event_id, message_id=self._new_id(), author=author, body=text, now=now
                )
            await ConversationRepository(connection, tenant).remember(step.ref.event_id, now)
        return PersistResult(duration_ms=duration_ms)


def _words(step: PersistInput, run: RunState) -> tuple[str, Literal["agent", "human"]]:
    """The response and whose words it is.

    Empty while a human decides, and where the plan was to answer nothing. A failed run shows the
    text that could not be brought to the customer.
    """
    if step.status is RunStatus.NEEDS_REVIEW:
        return "", "agent"
    if step.status is RunStatus.COMPLETED and not step.steps:
        return "", "agent"
    if run.human_text is not None:
        return run.human_text, "human"
    return run.draft, "agent"
