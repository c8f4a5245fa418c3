"""Memories: the outcomes of a customer's earlier runs in all threads, or of a visitor's earlier
runs in the current thread."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from domain.runs.conversation import MAX_SUMMARY_RUNS, PastRun
from store.core.repository import TenantRepository

# The round in which a step was executed counts. If no round executed the step, the last round
# counts. The query reads no customer text, and only the customer's latest threads.
_PAST_RUNS: Final = """
    WITH thread AS ({threads}), inbound AS (
        SELECT latest.event_id, latest.created_at
        FROM thread CROSS JOIN LATERAL (
            SELECT message.event_id, message.created_at
            FROM engine_messages AS message
            JOIN engine_runs AS run
              ON run.client_id = message.client_id AND run.event_id = message.event_id
            WHERE message.client_id = :client_id AND message.conversation_id = thread.id
              AND message.direction = 'inbound' AND run.status <> 'received' AND {theirs}
            ORDER BY message.created_at DESC, message.event_id DESC
            LIMIT :runs
        ) AS latest
        ORDER BY latest.created_at DESC, latest.event_id DESC
        LIMIT :runs
    )
    SELECT run.received_at::date AS day, run.status, run.classification,
           coalesce(run.response, '') <> '' AS replied,
           run.lookup #>> '{{order,number}}' AS order_number,
           (SELECT review.status FROM escalation_tickets AS review
            WHERE review.client_id = run.client_id
              AND (review.run_id = run.id OR review.id = run.joined_review)
            ORDER BY review.round DESC LIMIT 1) AS review,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'kind', step.action, 'state', step.state, 'amount',
                CASE WHEN step.amount IS NOT NULL THEN jsonb_build_object(
                    'minor', step.amount, 'currency', step.currency) END) ORDER BY step.step), '[]')
            FROM (
                SELECT DISTINCT ON (step) step, action, state, amount, currency
                FROM action_ledger
                WHERE client_id = run.client_id AND run_id = run.id AND order_key IS NOT NULL
                ORDER BY step, state = 'done' DESC, round DESC
            ) AS step
            WHERE step.state IN ('done', 'unknown')) AS effects
    FROM inbound
    JOIN engine_runs AS run ON run.client_id = :client_id AND run.event_id = inbound.event_id
    ORDER BY inbound.created_at, inbound.event_id
"""
# A ticket or session may have several authors. Messages from other authors are not part of the
# customer's memory.
_OF_CUSTOMER: Final = sa.text(
    _PAST_RUNS.format(
        threads="""
            SELECT id, key FROM ai_conversations
            WHERE client_id = :client_id AND memory_key = :memory_key
            ORDER BY last_message_at DESC LIMIT :runs""",
        theirs="""(thread.key LIKE 'email:%' OR thread.key LIKE 'mail:%' OR EXISTS (
            SELECT FROM engine_events AS event
            WHERE event.client_id = message.client_id AND event.id = message.event_id
              AND event.unified ->> 'customer_verified' IS DISTINCT FROM 'false'
              AND 'email:' || lower(event.unified ->> 'customer_email') = :memory_key))""",
    )
)
_OF_THREAD: Final = sa.text(
    _PAST_RUNS.format(threads="SELECT CAST(:conversation_id AS text) AS id", theirs="true")
)
# The statement copies the exported summary from the customer's latest thread. That summary also
# covers all earlier threads.
_CARRY: Final = sa.text("""
    INSERT INTO customer_memories (client_id, key, summary, updated_at)
    SELECT DISTINCT ON (memory_key) client_id, memory_key, summary, last_message_at
    FROM ai_conversations
    WHERE client_id = :client_id AND memory_key IS NOT NULL AND summary <> ''
    ORDER BY memory_key, last_message_at DESC, id DESC
    ON CONFLICT (client_id, key) DO NOTHING
""")


class MemoryRepository(TenantRepository):
    async def past_runs(self, conversation_id: str, memory_key: str | None) -> Sequence[PastRun]:
        """Return the latest runs of a customer, oldest first. Without a `memory_key`, return the
        latest runs of the thread."""
        mine: dict[str, object] = {"client_id": self._tenant, "runs": MAX_SUMMARY_RUNS}
        if memory_key is None:
            query, mine["conversation_id"] = _OF_THREAD, conversation_id
        else:
            query, mine["memory_key"] = _OF_CUSTOMER, memory_key
        rows = await self._connection.execute(query, mine)
        return [PastRun.model_validate(row, from_attributes=True) for row in rows]

    async def carry(self) -> None:
        """Create the customer memories that are missing after an import, from the summaries in the
        customers' latest threads."""
        await self._connection.execute(_CARRY, {"client_id": self._tenant})
