"""SQL that closes an imported client's unfinished work. This work cannot continue after an
import."""

from typing import Final

import sqlalchemy as sa

from domain.reviews.escalation import Decision, EscalationStatus
from domain.runs.run import RunStatus

IMPORTED: Final = "imported"
"""Error code of a run that was unfinished when the export was written."""

# The review expires without a decision. As after any expired review, the conversation is handed off
# to human agents.
HAND_OVER: Final = sa.text(f"""
    UPDATE ai_conversations AS conversation
    SET handed_over_at = coalesce(conversation.handed_over_at, :now)
    FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    JOIN engine_messages AS inbound
      ON inbound.client_id = run.client_id AND inbound.event_id = run.event_id
     AND inbound.direction = 'inbound'
    WHERE conversation.client_id = :client_id AND review.client_id = :client_id
      AND conversation.id = inbound.conversation_id
      AND review.status = '{EscalationStatus.EXPIRED}' AND review.decided_at = :now
""")  # noqa: S608 - our own names

# The run had been approved but not executed when the export was written. The import does not
# execute its plan.
CLOSE_APPROVED: Final = sa.text(f"""
    UPDATE engine_runs AS run
    SET status = '{RunStatus.FAILED}', error_code = '{IMPORTED}', finished_at = :now
    FROM (
        SELECT DISTINCT ON (run_id) run_id, decision FROM escalation_tickets
        WHERE client_id = :client_id ORDER BY run_id, round DESC
    ) AS latest
    WHERE run.client_id = :client_id AND run.id = latest.run_id
      AND run.status = '{RunStatus.NEEDS_REVIEW}'
      AND latest.decision IN ('{Decision.APPROVE}', '{Decision.EDIT}')
""")  # noqa: S608 - our own names

# A conversation's wait starts with the customer's first message after the latest answer. A
# conversation whose last message is more than 30 days old does not wait.
SET_WAITS: Final = sa.text("""
    UPDATE ai_conversations AS talk SET waiting_since = said.since
    FROM (
        SELECT conversation_id, min(created_at) FILTER (WHERE direction = 'inbound'
                   AND (answered_at IS NULL OR created_at > answered_at)) AS since
        FROM (
            SELECT conversation_id, direction, created_at,
                   max(created_at) FILTER (WHERE direction = 'outbound')
                       OVER (PARTITION BY conversation_id) AS answered_at
            FROM engine_messages
            WHERE client_id = :client_id AND conversation_id IS NOT NULL
        ) AS message
        GROUP BY conversation_id
    ) AS said
    WHERE talk.client_id = :client_id AND talk.id = said.conversation_id
      AND said.since IS NOT NULL
      AND talk.last_message_at > CAST(:now AS timestamptz) - interval '30 days'
""")
