"""set the wait of conversations whose latest message has no answer

Older conversations than 30 days are left out: their customers no longer wait, and many were answered
outside the service. In short transactions, because the table may have millions of rows. The revision
may be repeated.

Revision: b7d2e8416fa0
Follows: a41f7c05d9e2
"""

import sqlalchemy as sa
from alembic import op

revision = "b7d2e8416fa0"
down_revision = "a41f7c05d9e2"
branch_labels = None
depends_on = None

_BATCH = 2_000
_SET = sa.text("""
    WITH batch AS MATERIALIZED (
        SELECT client_id, id, last_message_at FROM ai_conversations
        WHERE (client_id, id) > (:client_id, :id)
        ORDER BY client_id, id LIMIT :limit
    ), waiting AS (
        SELECT batch.client_id, batch.id, said.since
        FROM batch, LATERAL (
            SELECT min(created_at) AS since FROM engine_messages AS asked
            WHERE asked.client_id = batch.client_id AND asked.conversation_id = batch.id
              AND asked.direction = 'inbound' AND asked.created_at > coalesce((
                SELECT max(created_at) FROM engine_messages AS answer
                WHERE answer.client_id = batch.client_id AND answer.conversation_id = batch.id
                  AND answer.direction = 'outbound'), '-infinity')
        ) AS said
        WHERE said.since IS NOT NULL AND batch.last_message_at > now() - interval '30 days'
    ), changed AS (
        UPDATE ai_conversations AS talk SET waiting_since = waiting.since
        FROM waiting
        WHERE talk.client_id = waiting.client_id AND talk.id = waiting.id
          AND talk.waiting_since IS NULL
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
