"""add the index of replies among messages

This revision is separate, because the table has rows.

Revision: 7ac15e93d0f2
Follows: 2f6d08b4a9c1
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "7ac15e93d0f2"
down_revision = "2f6d08b4a9c1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(
        "ix_engine_messages_reply",
        "engine_messages",
        ["client_id", "reply_id"],
        where=sa.text("reply_id IS NOT NULL"),
        unique=True,
    )


def downgrade() -> None:
    drop_index("ix_engine_messages_reply")
