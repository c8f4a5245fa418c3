"""add indexes for widget messages

The indexes find a session's messages in order, and the messages that count toward the widget's
share.

Revision: e19b3c70a4d8
Follows: c4e8a7d15f02
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "e19b3c70a4d8"
down_revision = "c4e8a7d15f02"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(
        "ix_engine_messages_widget_session",
        "engine_messages",
        ["client_id", "widget_session_id", "widget_number"],
        where=sa.text("widget_session_id IS NOT NULL"),
        unique=True,
    )
    create_index(
        "ix_engine_messages_widget",
        "engine_messages",
        ["client_id", "created_at"],
        where=sa.text("direction = 'inbound' AND widget_session_id IS NOT NULL"),
    )


def downgrade() -> None:
    drop_index("ix_engine_messages_widget")
    drop_index("ix_engine_messages_widget_session")
