"""add indexes for nightly work

Housekeeping uses the indexes to find expired idempotency keys. The sweeper uses them to find
expired reviews.

Revision: 5b8e02c61d47
Follows: 7d20c1b4ae95
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "5b8e02c61d47"
down_revision = "7d20c1b4ae95"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])
    create_index(
        "ix_escalation_tickets_undecided",
        "escalation_tickets",
        ["expires_at", "id"],
        where=sa.text("decided_at IS NULL"),
    )


def downgrade() -> None:
    drop_index("ix_escalation_tickets_undecided")
    drop_index("ix_idempotency_keys_created_at")
