"""Runs: the agent's draft, actions and answer for each admitted message."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.dialects.postgresql import JSONB

from domain.agent.brain import SETTLED_BY, BrainAnswer
from domain.agent.escalation_reason import EscalationReason
from domain.agent.excerpt import HeldDraft
from domain.agent.greeting import greeted_name
from domain.agent.model_fault import ModelFault
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction, StepOutcome
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking_result import ThinkingResult
from domain.agent.thread import Thread
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup
from domain.runs.errors import RunNotFound
from domain.runs.run import UNCLASSIFIED, RunResult, RunStatus, Timings
from store.core.repository import TenantRepository
from store.intake.tables import engine_events
from store.playbooks.tables import playbook_versions as versions
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_messages, engine_runs
from store.runs.tickets import TICKET, Ticket

HUMAN_TEXT: Final = (
    sa.select(escalation_tickets.c.edited_text)
    .where(
        escalation_tickets.c.client_id == engine_runs.c.client_id,
        escalation_tickets.c.run_id == engine_runs.c.id,
        escalation_tickets.c.edited_text.is_not(None),
    )
    .order_by(escalation_tickets.c.round.desc())
    .limit(1)
    .scalar_subquery()
)

_PLAN: TypeAdapter[tuple[PlannedAction, ...]] = TypeAdapter(tuple[PlannedAction, ...])
_STEPS: TypeAdapter[tuple[StepOutcome, ...]] = TypeAdapter(tuple[StepOutcome, ...])


def _kept(thought: ThinkingResult) -> dict[str, object]:
    """Return the columns to change when a new draft and plan (a "thought") replace the previous
    ones during a review."""
    answer = thought.answer
    return {
        "language": answer.language,
        "draft": thought.text,
        "doubt": thought.doubt,
        "hold": thought.hold,
        "plan": _PLAN.dump_python(thought.plan, mode="json"),
        "citations": [c.model_dump(mode="json") for c in answer.citations],
        "findings": [f.model_dump(mode="json") for f in thought.findings],
        "guard_findings": [f.model_dump(mode="json") for f in thought.guard_findings],
        "verdicts": [v.model_dump(mode="json") for v in thought.judgement.verdicts],
        "thread_after": thought.thread.model_dump(mode="json", exclude_none=True),
    }


@dataclass(frozen=True, slots=True)
class RunState:
    """The run data that the persist step needs.

    - `thread_after`: the thread after the run's answer.
    - `sensitive`: the sensitive topic, or None.
    - `in_shadow`: the playbook is in shadow mode.
    - `thought_by`: the model behind the draft and plan.
    - `sender`: the sender's verified address, or None.
    - `language`: the customer's language (ISO 639-1), or None before detection.
    - `model_fault`: the language model's fault, or None.
    - `ticket`: the ticket of the event.
    - `in_widget`: the message belongs to a widget session.
    """

    status: RunStatus
    received_at: datetime
    duration_ms: int | None
    classification: str
    confidence: float
    draft: str
    human_text: str | None
    thread_after: Thread | None
    conversation_id: str | None
    sensitive: SensitiveMatter | None
    text: str
    in_shadow: bool
    thought_by: str | None
    ticket: Ticket
    in_widget: bool
    sender: str | None = None
    language: str | None = None
    model_fault: ModelFault | None = None


class RunRepository(TenantRepository):
    async def save_lookup(self, run_id: str, lookup: Lookup) -> None:
        await self._connection.execute(
            _UPDATE, {**self._key(run_id), "lookup": lookup.model_dump(mode="json")}
        )

    async def save_thought(
        self, run_id: str, thought: ThinkingResult, *, aside_of: str | None = None
    ) -> bool:
        """Store the first thought (draft and plan) of a run. Return False and change nothing if
        there is one.

        `aside_of` is the review during which the agent answers the message. Tokens and cost are
        added to earlier ones. Without a model call, a reopened run keeps its model.
        """
        answer = thought.answer
        saved = await self._connection.execute(
            _SAVE_THOUGHT,
            {
                **self._key(run_id),
                **_kept(thought),
                "thought_by": answer.model,
                "is_settled": answer.model == SETTLED_BY,
                "classification": answer.classification,
                "confidence": answer.confidence,
                "alternatives": [a.model_dump(mode="json") for a in answer.alternatives],
                "sentiment": answer.sentiment,
                **_spent(answer),
                "model_fault": answer.fault,
                "intent": thought.intent,
                "sensitive": thought.sensitive,
                "prompt_version": answer.prompt_version,
                "aside_of": aside_of,
            },
        )
        return saved.rowcount == 1

    async def wait_for_model(self, run_id: str, answer: BrainAnswer) -> None:
        """Record that the run waits for the language model after a fault. Adds the tokens and cost
        of the failed call, `answer`, to the run."""
        await self._connection.execute(
            _IS_UNTHOUGHT.values(**_ADDED),
            {**self._key(run_id), **_spent(answer), "model_fault": answer.fault},
        )

    async def replace_thought(
        self, run_id: str, thought: ThinkingResult, lookup: Lookup | None
    ) -> None:
        """After another message from the customer, replace the draft, plan and order of a run that
        is under review. The category and the confidence are kept, because they were already
        reported."""
        await self._connection.execute(
            _UPDATE,
            {
                **self._key(run_id),
                **_kept(thought),
                "lookup": None if lookup is None else lookup.model_dump(mode="json"),
            },
        )

    async def add_verdict(self, run_id: str, verdict: PolicyDecision) -> None:
        """Append a policy decision to a run's decisions."""
        await self._connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.client_id == self._tenant, engine_runs.c.id == run_id)
            .values(
                verdicts=engine_runs.c.verdicts.op("||")(
                    sa.cast([verdict.model_dump(mode="json")], JSONB)
                )
            )
        )

    async def take_off(self, run_id: str, kind: ActionKind) -> None:
        """Permanently remove an action from a run's plan, with its policy decisions, except
        denials, and the draft that mentions it. Idempotent."""
        await self._connection.execute(_TAKE_OFF, {**self._key(run_id), "kind": kind})

    async def lock(self, run_id: str) -> RunState:
        """Lock a run until the transaction ends, and return its state. Raises RunNotFound if there
        is no such run or its customer was erased."""
        row = await self._one(_LOCK, self._key(run_id), RunNotFound(run_id))
        return RunState(
            status=RunStatus(row.status),
            received_at=row.received_at,
            duration_ms=row.duration_ms,
            classification=row.classification or UNCLASSIFIED,
            confidence=row.confidence or 0.0,
            draft=row.draft or "",
            human_text=row.human_text,
            thread_after=Thread.model_validate(row.thread_after) if row.thread_after else None,
            conversation_id=row.conversation_id,
            sensitive=SensitiveMatter(row.sensitive) if row.sensitive else None,
            text=row.text or "",
            in_shadow=bool(row.in_shadow),
            sender=row.sender,
            thought_by=row.model,
            ticket=Ticket(row.ticket_id, row.customer_email),
            in_widget=row.in_widget,
            model_fault=ModelFault(row.model_fault) if row.model_fault else None,
            language=row.language,
        )

    async def held_draft(self, run_id: str, reason: EscalationReason) -> HeldDraft:
        """Return the draft of a run that is held for `reason`. Raises RunNotFound."""
        row = await self._one(_HELD, self._key(run_id), RunNotFound(run_id))
        return HeldDraft(
            text=row.draft or "",
            language=row.language,
            classification=row.classification or UNCLASSIFIED,
            confidence=row.confidence or 0.0,
            citations=row.citations,
            reason=reason,
            is_composed=row.prompt_version is not None,
            acts_on_order=any(one.kind in ON_ORDERS for one in _PLAN.validate_python(row.plan)),
            customer_name=greeted_name(UnifiedEvent.model_validate(row.unified)),
        )

    async def thought_by(self, run_id: str) -> str | None:
        """Return the model that produced the run's thought, or None if there is no thought yet."""
        return await self._connection.scalar(_MODEL, self._key(run_id))

    async def finish(
        self,
        result: RunResult,
        *,
        steps: tuple[StepOutcome, ...],
        timings: Timings,
        error_code: str,
        now: datetime,
        handoff: EscalationReason | None = None,
    ) -> None:
        """Store an outcome of a run. The first one is also the caller's answer, and the first
        `handoff` the run's escalation reason."""
        await self._connection.execute(
            _FINISH,
            {
                **self._key(result.run_id),
                "now": now,
                "shown": result.model_dump(mode="json"),
                "handoff": handoff,
                "status": result.status,
                "steps": _STEPS.dump_python(steps, mode="json"),
                "timings": timings.model_dump(mode="json"),
                "error_code": error_code or None,
                "response": result.response,
                "duration_ms": result.duration_ms,
                "finished_at": None if result.status is RunStatus.NEEDS_REVIEW else now,
            },
        )

    async def answer(self, event_id: str) -> RunResult | None:
        """Return the answer that the caller of an event received, which is the first outcome.
        Return None if there is no outcome yet."""
        stored = await self._connection.scalar(_ANSWER, {"tenant": self._tenant, "event": event_id})
        return RunResult.model_validate(stored) if stored is not None else None

    def _key(self, run_id: str) -> dict[str, str]:
        return {"tenant": self._tenant, "run": run_id}


_IS_RUN: Final = sa.and_(
    engine_runs.c.client_id == sa.bindparam("tenant"), engine_runs.c.id == sa.bindparam("run")
)
_MODEL: Final = sa.select(engine_runs.c.model).where(_IS_RUN)
_UPDATE: Final = sa.update(engine_runs).where(_IS_RUN)
_IS_UNTHOUGHT: Final = _UPDATE.where(engine_runs.c.classification.is_(None))
_ADDED: Final = {
    name: engine_runs.c[name] + sa.bindparam(f"more_{name}")
    for name in ("tokens_in", "tokens_out", "cost_micros")
}
_THOUGHT_BY: Final = sa.bindparam("thought_by", type_=sa.Text)
_SAVE_THOUGHT: Final = _IS_UNTHOUGHT.values(
    model=sa.case(
        (
            sa.bindparam("is_settled", type_=sa.Boolean),
            sa.func.coalesce(engine_runs.c.model, _THOUGHT_BY),
        ),
        else_=_THOUGHT_BY,
    ),
    **_ADDED,
)
_FINISH: Final = _UPDATE.values(
    answered_at=sa.func.coalesce(engine_runs.c.answered_at, sa.bindparam("now")),
    answer=sa.func.coalesce(engine_runs.c.answer, sa.bindparam("shown", type_=JSONB)),
    handoff_reason=sa.func.coalesce(
        engine_runs.c.handoff_reason, sa.bindparam("handoff", type_=sa.Text)
    ),
)
_TAKE_OFF: Final = sa.text("""
    UPDATE engine_runs
    SET draft = '', guard_findings = '[]', plan = (
        SELECT coalesce(jsonb_agg(step ORDER BY place), '[]'::jsonb)
        FROM jsonb_array_elements(plan) WITH ORDINALITY AS planned (step, place)
        WHERE step ->> 'kind' <> :kind
    ), verdicts = (
        SELECT coalesce(jsonb_agg(verdict ORDER BY place), '[]'::jsonb)
        FROM jsonb_array_elements(verdicts) WITH ORDINALITY AS said (verdict, place)
        WHERE verdict ->> 'kind' <> :kind OR verdict ->> 'ruling' = 'refused'
    )
    WHERE client_id = :tenant AND id = :run
""")
EVENT_OF_RUN: Final = sa.and_(
    engine_events.c.client_id == engine_runs.c.client_id,
    engine_events.c.id == engine_runs.c.event_id,
)
"""The join condition between a run and its event."""
VERSION_OF_RUN: Final = sa.and_(
    versions.c.client_id == engine_runs.c.client_id,
    versions.c.playbook_id == engine_runs.c.playbook_id,
    versions.c.version == engine_runs.c.playbook_version,
)
"""The join condition between a run and the playbook version that processed its event."""
_MESSAGE_OF_RUN: Final = sa.and_(
    engine_messages.c.client_id == engine_runs.c.client_id,
    engine_messages.c.event_id == engine_runs.c.event_id,
    engine_messages.c.direction == "inbound",
)
_LOCK: Final = (
    sa.select(
        engine_runs.c.status,
        engine_runs.c.received_at,
        engine_runs.c.duration_ms,
        engine_runs.c.classification,
        engine_runs.c.confidence,
        engine_runs.c.draft,
        HUMAN_TEXT.label("human_text"),
        engine_runs.c.thread_after,
        engine_messages.c.conversation_id,
        engine_messages.c.widget_session_id.is_not(None).label("in_widget"),
        engine_runs.c.sensitive,
        engine_runs.c.model,
        engine_runs.c.model_fault,
        engine_runs.c.language,
        engine_events.c.text,
        engine_events.c.unified["proved"]["address"].astext.label("sender"),
        *TICKET,
        versions.c.rulebook["shadow"].as_boolean().label("in_shadow"),
    )
    .select_from(engine_runs)
    .join(engine_events, EVENT_OF_RUN)
    .join(versions, VERSION_OF_RUN)
    .outerjoin(engine_messages, _MESSAGE_OF_RUN)
    .where(_IS_RUN, engine_events.c.erased_at.is_(None))
    .with_for_update(of=engine_runs)
)
_HELD: Final = (
    sa.select(
        engine_runs.c.draft,
        engine_runs.c.language,
        engine_runs.c.classification,
        engine_runs.c.confidence,
        engine_runs.c.citations,
        engine_runs.c.prompt_version,
        engine_runs.c.plan,
        engine_events.c.unified,
    )
    .select_from(engine_runs)
    .join(engine_events, EVENT_OF_RUN)
    .where(_IS_RUN)
)
_ANSWER: Final = sa.select(engine_runs.c.answer).where(
    engine_runs.c.client_id == sa.bindparam("tenant"),
    engine_runs.c.event_id == sa.bindparam("event"),
)


def _spent(answer: BrainAnswer) -> dict[str, int]:
    """Return the values to add to a run's usage of language models."""
    return {
        "more_tokens_in": answer.tokens_in,
        "more_tokens_out": answer.tokens_out,
        "more_cost_micros": answer.cost_micros,
    }
