"""Traces of runs, for debugging and display."""

from typing import Final

import sqlalchemy as sa

from domain.runs.errors import RunNotFound
from domain.runs.trace import RunTrace
from store.core.repository import TenantRepository, owner_of
from store.runs.message_files import attachments_json
from store.runs.tables import engine_runs

# One statement reads the whole trace, so that its parts are consistent. The statement names each
# column, so that a new column is not exposed by accident.
_TRACE: Final = sa.text(f"""
    SELECT run.id AS run_id, run.client_id, run.status, run.lookup, run.findings, run.verdicts,
           run.plan, run.handoff_reason, run.steps, run.response, run.error_code, run.timings,
           run.duration_ms, run.answered_at, run.finished_at, run.sensitive,
           run.joined_review, run.thread_after,
           jsonb_build_object(
               'event_id', event.id, 'event_type', event.event_type, 'source', event.source,
               'author', event.author, 'received_at', event.received_at, 'normalized',
               event.unified || jsonb_build_object('subject', event.subject, 'text', event.text),
               'attachments', {attachments_json("run.client_id", "event.id")}
           ) AS event,
           jsonb_build_object(
               'playbook_id', run.playbook_id, 'version', run.playbook_version,
               'name', playbook.name, 'threshold', playbook.threshold
           ) AS playbook,
           jsonb_build_object(
               'model', run.model, 'model_fault', run.model_fault,
               'prompt_version', run.prompt_version,
               'classification', run.classification, 'intent', run.intent,
               'confidence', run.confidence, 'alternatives', run.alternatives,
               'language', run.language, 'sentiment', run.sentiment, 'draft', run.draft,
               'citations', run.citations, 'guard_findings', run.guard_findings,
               'doubt', run.doubt, 'hold', run.hold,
               'tokens_in', run.tokens_in, 'tokens_out', run.tokens_out,
               'cost_micros', run.cost_micros
           ) AS thought,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'review_id', id, 'round', round, 'status', status, 'reason', reason,
                'draft', draft, 'needs_second', needs_second,
                'claimed_by', claimed_by, 'claimed_at', claimed_at,
                'first_approved_by', first_approved_by, 'first_approved_at', first_approved_at,
                'decision', decision, 'decided_by', decided_by, 'decided_at', decided_at,
                'edited_text', edited_text, 'created_at', created_at, 'expires_at', expires_at,
                'taken_up_at', taken_up_at, 'amount', CASE WHEN amount IS NOT NULL
                THEN jsonb_build_object('minor', amount, 'currency', currency) END
            ) ORDER BY round), '[]')
            FROM escalation_tickets WHERE client_id = run.client_id AND run_id = run.id
           ) AS reviews,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'step', step, 'round', round, 'action', action, 'state', state,
                'detail', detail, 'integration_id', integration_id, 'order_key', order_key,
                'reference', reference, 'planned_at', planned_at, 'finished_at', finished_at,
                'amount', CASE WHEN amount IS NOT NULL
                THEN jsonb_build_object('minor', amount, 'currency', currency) END
            ) ORDER BY round, step), '[]')
            FROM action_ledger WHERE client_id = run.client_id AND run_id = run.id
           ) AS effects
    FROM engine_runs AS run
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    JOIN playbook_versions AS playbook
      ON playbook.client_id = run.client_id AND playbook.playbook_id = run.playbook_id
     AND playbook.version = run.playbook_version
    WHERE run.client_id = :client_id AND run.id = :run_id
""")  # noqa: S608 - our own names


class RunTraces(TenantRepository):
    async def read(self, run_id: str) -> RunTrace:
        """Return the trace of a run. Raises RunNotFound, including for another client's run."""
        row = await self._one(
            _TRACE, {"client_id": self._tenant, "run_id": run_id}, RunNotFound(run_id)
        )
        return RunTrace.model_validate(row, from_attributes=True)


client_of_run: Final = owner_of(engine_runs, RunNotFound)
