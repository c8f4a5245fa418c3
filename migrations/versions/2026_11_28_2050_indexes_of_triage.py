"""add indexes of the assignee, the tags and the status of conversations

This revision is separate, because the table has rows.

Revision: 4d7e90b1c5f8
Follows: c81f4e2a7b36
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "4d7e90b1c5f8"
down_revision = "c81f4e2a7b36"
branch_labels = None
depends_on = None

_TABLE = "ai_conversations"
_PLACE = ["client_id", "last_message_at", "id"]
_ASSIGNED = "ix_ai_conversations_assigned"
_SOME = {
    "ix_ai_conversations_tagged": "tags <> '[]'",
    "ix_ai_conversations_open": "closed_at IS NULL",
    "ix_ai_conversations_snoozed": "snoozed_until IS NOT NULL",
    "ix_ai_conversations_closed": "closed_at IS NOT NULL",
}


def upgrade() -> None:
    assigned = ["client_id", "assignee", "last_message_at", "id"]
    create_index(_ASSIGNED, _TABLE, assigned, where=sa.text("assignee IS NOT NULL"))
    for name, which in _SOME.items():
        create_index(name, _TABLE, _PLACE, where=sa.text(which))


def downgrade() -> None:
    for name in (_ASSIGNED, *_SOME):
        drop_index(name)
