"""add the indexes of the attachments of members' replies

A separate revision, because the table has rows.

Revision: 84e0b6d3c719
Follows: 3f7c1d92ab58
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "84e0b6d3c719"
down_revision = "3f7c1d92ab58"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(
        "ix_attachments_reply",
        "attachments",
        ["client_id", "reply_id"],
        where=sa.text("reply_id IS NOT NULL"),
    )
    create_index(
        "ix_attachments_unsent",
        "attachments",
        ["client_id", "uploaded_by"],
        where=sa.text("uploaded_by IS NOT NULL AND reply_id IS NULL"),
    )


def downgrade() -> None:
    drop_index("ix_attachments_unsent")
    drop_index("ix_attachments_reply")
