"""replace the index of waiting conversations, and add one of members' open conversations

A separate revision, because the table has rows.

Revision: f60c2d8e91a3
Follows: e57a930d1b64
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "f60c2d8e91a3"
down_revision = "e57a930d1b64"
branch_labels = None
depends_on = None

_TALKS = "ai_conversations"
_WAITS = sa.text("waiting_since IS NOT NULL AND closed_at IS NULL")
_NEW = "ix_ai_conversations_unanswered"
_OLD = "ix_ai_conversations_waiting"
_ASSIGNED = "ix_ai_conversations_assigned_open"
_TAKEN = "ix_ai_conversations_taken_open"


def upgrade() -> None:
    create_index(_NEW, _TALKS, ["client_id", "answer_skipped", "waiting_since", "id"], where=_WAITS)
    create_index(
        _ASSIGNED,
        _TALKS,
        ["client_id", "assignee", "last_message_at", "id"],
        where=sa.text("assignee IS NOT NULL AND closed_at IS NULL"),
    )
    create_index(
        _TAKEN,
        _TALKS,
        ["client_id", "taken_by", "last_message_at", "id"],
        where=sa.text("taken_at IS NOT NULL AND closed_at IS NULL"),
    )
    drop_index(_OLD)


def downgrade() -> None:
    create_index(_OLD, _TALKS, ["client_id", "waiting_since", "id"], where=_WAITS)
    drop_index(_NEW)
    drop_index(_ASSIGNED)
    drop_index(_TAKEN)
