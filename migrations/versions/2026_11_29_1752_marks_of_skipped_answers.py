"""mark the waiting conversations whose latest message the agent left without an answer

In short transactions, because the table may have millions of rows. The revision may be repeated.

Revision: e57a930d1b64
Follows: d4e81b26c07f
"""

import sqlalchemy as sa
from alembic import op

revision = "e57a930d1b64"
down_revision = "d4e81b26c07f"
branch_labels = None
depends_on = None

_BATCH = 2_000
_SET = sa.text("""
    WITH batch AS MATERIALIZED (
        SELECT client_id, id, waiting_since, closed_at FROM ai_conversations
        WHERE (client_id, id) > (:client_id, :id)
        ORDER BY client_id, id LIMIT :limit
    ), changed AS (
        UPDATE ai_conversations AS talk SET answer_skipped = true
        FROM batch, LATERAL (
            SELECT direction, event_id FROM engine_messages
            WHERE client_id = batch.client_id AND conversation_id = batch.id
            ORDER BY created_at DESC LIMIT 1
        ) AS said, engine_runs AS run
        WHERE talk.client_id = batch.client_id AND talk.id = batch.id
          AND batch.waiting_since IS NOT NULL AND batch.closed_at IS NULL
          AND said.direction = 'inbound'
          AND run.client_id = batch.client_id AND run.event_id = said.event_id
          AND run.status = 'completed'
    )
    SELECT client_id, id FROM batch ORDER BY client_id DESC, id DESC LIMIT 1
""")


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute("SET statement_timeout = 0; SET ROLE engine_service")
        last = ("", "")
        while True:
            row = (
                op.get_bind()
                .execute(_SET, {"client_id": last[0], "id": last[1], "limit": _BATCH})
                .one_or_none()
            )
            if row is None:
                break
            last = (row.client_id, row.id)
        op.execute("RESET ROLE; RESET statement_timeout")


def downgrade() -> None:
    pass
