"""add the indexes of the inbox

A separate revision, because the tables have rows.

Revision: c93a50f7b1d8
Follows: b7d2e8416fa0
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "c93a50f7b1d8"
down_revision = "b7d2e8416fa0"
branch_labels = None
depends_on = None

_REVIEWS = "escalation_tickets"
_OPEN = sa.text("status IN ('pending', 'claimed')")
_NAMES = (
    "ix_ai_conversations_waiting",
    "ix_escalation_tickets_open",
    "ix_escalation_tickets_conversation",
    "ix_escalation_tickets_decided",
)


def upgrade() -> None:
    waiting, opened, conversation, decided = _NAMES
    create_index(
        waiting,
        "ai_conversations",
        ["client_id", "waiting_since", "id"],
        where=sa.text("waiting_since IS NOT NULL AND closed_at IS NULL"),
    )
    create_index(opened, _REVIEWS, ["client_id", "urgent", "created_at", "id"], where=_OPEN)
    create_index(conversation, _REVIEWS, ["client_id", "conversation_id"], where=_OPEN)
    create_index(
        decided,
        _REVIEWS,
        ["client_id", "decided_at", "id"],
        where=sa.text("decided_at IS NOT NULL"),
    )


def downgrade() -> None:
    for name in _NAMES:
        drop_index(name)
