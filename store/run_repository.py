"""Runs: what the agent thought, did and answered."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.brain import BrainAnswer
from domain.contracts import RunRef
from domain.ids import TenantId
from domain.plan import PlannedAction, StepOutcome
from domain.run import UNCLASSIFIED, RunResult, RunStatus, Timings, steps_executed
from store.tables import engine_runs, escalation_tickets
from store.tables import playbook_versions as versions

# The last word of a human on a run; rounds before it were overtaken.
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


@dataclass(frozen=True, slots=True)
class RunState:
    """The row that persist works on."""

    status: RunStatus
    received_at: datetime
    duration_ms: int | None
    draft: str
    human_text: str | None


class RunRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def save_answer(
        self, run_id: str, answer: BrainAnswer, plan: tuple[PlannedAction, ...]
    ) -> None:
        await self._connection.execute(
            _UPDATE,
            {
                **self._key(run_id),
                "classification": answer.classification,
                "confidence": answer.confidence,
                "alternatives": [a.model_dump(mode="json") for a in answer.alternatives],
                "language": answer.language,
                "draft": answer.response,
                "doubt": answer.doubt,
                "plan": _PLAN.dump_python(plan, mode="json"),
                "citations": [c.model_dump(mode="json") for c in answer.citations],
                "model": answer.model,
                "tokens_in": answer.tokens_in,
                "tokens_out": answer.tokens_out,
                "cost_micros": answer.cost_micros,
            },
        )

    async def lock(self, run_id: str) -> RunState:
        """The run's state, locked until the transaction ends."""
        row = (await self._connection.execute(_LOCK, self._key(run_id))).one()
        return RunState(
            RunStatus(row.status), row.received_at, row.duration_ms, row.draft or "", row.human_text
        )

    async def finish(
        self,
        run_id: str,
        *,
        status: RunStatus,
        steps: tuple[StepOutcome, ...],
        timings: Timings,
        error_code: str,
        response: str,
        duration_ms: int,
        now: datetime,
    ) -> None:
        """Write the outcome.

        `response` is what the customer was told: empty while a human has not decided.
        """
        await self._connection.execute(
            _FINISH,
            {
                **self._key(run_id),
                "now": now,
                "status": status,
                "steps": _STEPS.dump_python(steps, mode="json"),
                "timings": timings.model_dump(mode="json"),
                "error_code": error_code or None,
                "response": response,
                "duration_ms": duration_ms,
                "finished_at": None if status is RunStatus.NEEDS_REVIEW else now,
            },
        )

    async def result(self, event_id: str) -> RunResult | None:
        """The gateway's answer for an event; None while its run has none."""
        row = (
            await self._connection.execute(_RESULT, {"tenant": self._tenant, "event": event_id})
        ).one_or_none()
        if row is None or row.status == RunStatus.RECEIVED:
            return None
        return RunResult(
            event_id=row.event_id,
            run_id=row.id,
            status=RunStatus(row.status),
            classification=row.classification or UNCLASSIFIED,
            confidence=row.confidence or 0.0,
            response=row.response or "",
            steps_executed=steps_executed(_STEPS.validate_python(row.steps)),
            duration_ms=row.duration_ms,
        )

    def _key(self, run_id: str) -> dict[str, str]:
        return {"tenant": self._tenant, "run": run_id}


_IS_RUN: Final = sa.and_(
    engine_runs.c.client_id == sa.bindparam("tenant"), engine_runs.c.id == sa.bindparam("run")
)
# An update sets the columns it is given values for.
_UPDATE: Final = sa.update(engine_runs).where(_IS_RUN)
_FINISH: Final = _UPDATE.values(
    answered_at=sa.func.coalesce(engine_runs.c.answered_at, sa.bindparam("now"))
)
_LOCK: Final = (
    sa.select(
        engine_runs.c.status,
        engine_runs.c.received_at,
        engine_runs.c.duration_ms,
        engine_runs.c.draft,
        HUMAN_TEXT.label("human_text"),
    )
    .where(_IS_RUN)
    .with_for_update()
)
_RESULT: Final = sa.select(
    engine_runs.c.id,
    engine_runs.c.event_id,
    engine_runs.c.status,
    engine_runs.c.classification,
    engine_runs.c.confidence,
    engine_runs.c.response,
    engine_runs.c.steps,
    engine_runs.c.duration_ms,
).where(
    engine_runs.c.client_id == sa.bindparam("tenant"),
    engine_runs.c.event_id == sa.bindparam("event"),
)


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run that was admitted and never answered."""

    ref: RunRef
    threshold: float


async def runs_left_received(
    connection: AsyncConnection, *, before: datetime, limit: int
) -> list[WaitingRun]:
    """Runs of all clients admitted before a time and not answered, oldest first."""
    rows = await connection.execute(
        sa.select(
            engine_runs.c.client_id, engine_runs.c.event_id, engine_runs.c.id, versions.c.threshold
        )
        .join(
            versions,
            sa.and_(
                versions.c.client_id == engine_runs.c.client_id,
                versions.c.playbook_id == engine_runs.c.playbook_id,
                versions.c.version == engine_runs.c.playbook_version,
            ),
        )
        .where(engine_runs.c.status == RunStatus.RECEIVED, engine_runs.c.received_at < before)
        .order_by(engine_runs.c.received_at)
        .limit(limit)
    )
    return [
        WaitingRun(
            RunRef(client_id=row.client_id, event_id=row.event_id, run_id=row.id), row.threshold
        )
        for row in rows
    ]
