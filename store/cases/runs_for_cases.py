"""Queries that return runs in the format used to create saved cases."""

from typing import Final

import sqlalchemy as sa
from pydantic import TypeAdapter

from domain.agent.brain import Category, Citation, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.cases.from_run import RunForCase
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup
from domain.reviews.escalation import EscalationStatus
from domain.runs.errors import RunNotFound
from domain.runs.run import RunStatus
from domain.simulation.scenario import MAX_MESSAGES
from store.core.repository import TenantRepository

_PLAN: Final = TypeAdapter(tuple[PlannedAction, ...])
_CITATIONS: Final = TypeAdapter(tuple[Citation, ...])
_TURNS: Final = TypeAdapter(tuple[Turn, ...])

# In a simulation, only a human agent's message ends a handoff, so an approved draft is read as one.
# The plan is read from the review because the run's may lack rejected actions.
_READ: Final = """
    SELECT run.id, run.status, run.classification, run.lookup, run.citations,
           run.received_at, coalesce(run.handoff_reason, run.hold) AS reason,
           event.event_type, event.source, event.unified, event.subject, event.text,
           review.status AS decision, coalesce(review.plan, run.plan) AS plan,
           (SELECT coalesce(jsonb_agg(jsonb_build_object('author', author, 'body', body)
                                      ORDER BY created_at, id), '[]'::jsonb)
            FROM (
                SELECT earlier.body, earlier.created_at, earlier.id,
                       CASE WHEN earlier.author = 'agent' THEN 'human' ELSE earlier.author
                       END AS author
                FROM engine_messages AS earlier
                WHERE earlier.client_id = inbound.client_id
                  AND earlier.conversation_id = inbound.conversation_id
                  AND earlier.body <> '' AND (earlier.author <> 'agent' OR EXISTS (
                    SELECT FROM engine_runs AS answered
                    JOIN escalation_tickets AS let_go
                      ON let_go.client_id = answered.client_id AND let_go.run_id = answered.id
                    WHERE answered.client_id = earlier.client_id
                      AND answered.event_id = earlier.event_id AND let_go.status = 'approved'))
                  AND (earlier.created_at, earlier.id) < (inbound.created_at, inbound.id)
                ORDER BY earlier.created_at DESC, earlier.id DESC
                LIMIT :turns
            ) AS latest) AS turns
    FROM engine_runs AS run
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    JOIN engine_messages AS inbound
      ON inbound.client_id = run.client_id AND inbound.event_id = run.event_id
     AND inbound.direction = 'inbound'
    LEFT JOIN LATERAL (
        SELECT CASE WHEN decision IS NOT NULL THEN status END AS status, plan
        FROM escalation_tickets
        WHERE client_id = run.client_id AND run_id = run.id
        ORDER BY round DESC LIMIT 1
    ) AS review ON true
    WHERE run.client_id = :client_id AND run.id = :run_id
      AND event.erased_at IS NULL AND event.unified IS NOT NULL
"""
_RUN: Final = sa.text(_READ)
# The lock serializes this read with an erasure of the customer. The erasure either finishes before
# this read, or finds the case created from this run.
_LOCKED_RUN: Final = sa.text(f"{_READ} FOR SHARE OF event")


class RunForCaseReader(TenantRepository):
    async def read(self, run_id: str, *, lock: bool = True) -> RunForCase:
        """Return a run. Raises RunNotFound for an unknown or erased run, and before its event is
        normalized.

        If `lock` is true, an erasure of the run's customer is blocked until the transaction ends.
        Readers pass False.
        """
        row = await self._one(
            _LOCKED_RUN if lock else _RUN,
            {"client_id": self._tenant, "run_id": run_id, "turns": MAX_MESSAGES - 1},
            RunNotFound(run_id),
        )
        unified = {**row.unified, "subject": row.subject, "text": row.text or ""}
        return RunForCase(
            run_id=row.id,
            event=UnifiedEvent.model_validate(unified),
            event_type=row.event_type,
            source=row.source,
            received_at=row.received_at,
            turns=_TURNS.validate_python(row.turns),
            lookup=Lookup.model_validate(row.lookup) if row.lookup else None,
            status=RunStatus(row.status),
            classification=Category(row.classification) if row.classification else None,
            reason=EscalationReason(row.reason) if row.reason else None,
            citations=_CITATIONS.validate_python(row.citations),
            actions=tuple(action.kind for action in _PLAN.validate_python(row.plan)),
            decision=EscalationStatus(row.decision) if row.decision else None,
        )
