"""add the attachments of members' replies

The foreign key is not checked against existing rows, because no existing row has a reply.

Revision: 3f7c1d92ab58
Follows: 4b7c1d90e2a6
"""

import sqlalchemy as sa
from alembic import op

revision = "3f7c1d92ab58"
down_revision = "4b7c1d90e2a6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("attachments", sa.Column("uploaded_by", sa.Text(), nullable=True))
    op.add_column("attachments", sa.Column("reply_id", sa.Text(), nullable=True))
    op.create_foreign_key(
        op.f("fk_attachments_client_id_reply_id"),
        "attachments",
        "conversation_replies",
        ["client_id", "reply_id"],
        ["client_id", "id"],
        postgresql_not_valid=True,
    )


def downgrade() -> None:
    op.execute("DELETE FROM attachments WHERE uploaded_by IS NOT NULL")
    op.drop_column("attachments", "reply_id")
    op.drop_column("attachments", "uploaded_by")
