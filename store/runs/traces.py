"""Traces of runs and lists of runs, for debugging and display."""

from typing import Final

import sqlalchemy as sa

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.runs.errors import RunNotFound
from domain.runs.run import RunStatus
from domain.runs.trace import RunSummary, RunTrace
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
               'model', run.model, 'prompt_version', run.prompt_version,
               'classification', run.classification, 'intent', run.intent,
               'confidence', run.confidence, 'alternatives', run.alternatives,
               'language', run.language, 'sentiment', run.sentiment, 'draft', run.draft,
               'citations', run.citations, 'doubt', run.doubt, 'hold', run.hold,
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

# The list is in primary key order. Ids are in the order of admission.
_PAGE: Final = """
    SELECT run.id AS run_id, run.event_id, run.status, event.event_type,
           CASE WHEN event.unified IS NULL THEN event.customer_email
                ELSE event.unified ->> 'customer_email' END AS customer_email,
           event.subject, coalesce(left(event.text, 280), '') AS preview,
           run.classification, run.confidence, run.sentiment, run.handoff_reason, run.error_code,
           run.duration_ms, run.received_at, run.finished_at
    FROM engine_runs AS run
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE run.client_id = :client_id AND run.id < :before
      {which}
    ORDER BY run.id DESC
    LIMIT :limit
"""
# Only the filters in use are added to the query, because a generic plan for all filters would not
# use any index.
_PAGES: Final = {
    (by_status, by_class, by_reason): sa.text(
        _PAGE.format(
            which=("AND run.status = :status " if by_status else "")
            + ("AND run.classification = :classification " if by_class else "")
            + ("AND run.handoff_reason = :reason" if by_reason else "")
        )
    )
    for by_status in (False, True)
    for by_class in (False, True)
    for by_reason in (False, True)
}

# A ULID starts with a digit from 0 to 7, so this text sorts after every ULID.
_BEYOND_ALL: Final = "8"


class RunTraces(TenantRepository):
    async def read(self, run_id: str) -> RunTrace:
        """Return the trace of a run. Raises RunNotFound, also for another client's run."""
        row = await self._one(
            _TRACE, {"client_id": self._tenant, "run_id": run_id}, RunNotFound(run_id)
        )
        return RunTrace.model_validate(row, from_attributes=True)

    async def page(
        self,
        *,
        limit: int,
        before: str | None = None,
        status: RunStatus | None = None,
        classification: Category | None = None,
        reason: EscalationReason | None = None,
    ) -> list[RunSummary]:
        """Return a page of runs, newest first. `before`: the last id on the previous page.
        `reason`: the reason for which a run was escalated first."""
        given: dict[str, object] = {
            "client_id": self._tenant,
            "limit": limit,
            "before": before or _BEYOND_ALL,
        }
        if status is not None:
            given["status"] = status
        if classification is not None:
            given["classification"] = classification
        if reason is not None:
            given["reason"] = reason
        page = _PAGES[status is not None, classification is not None, reason is not None]
        rows = await self._connection.execute(page, given)
        return [RunSummary.model_validate(row, from_attributes=True) for row in rows]


client_of_run: Final = owner_of(engine_runs, RunNotFound)
