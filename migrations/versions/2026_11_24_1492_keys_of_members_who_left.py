"""keys of members who left

When the managers are due a mail about a key: its maker has left the client, and no manager decided
whether the key stays.

Revision: c4e81f9a27d6
Follows: 80c0f3e5a1d4
"""

import sqlalchemy as sa
from alembic import op

revision = "c4e81f9a27d6"
down_revision = "80c0f3e5a1d4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("notice_due_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_api_keys_notice_due",
        "api_keys",
        ["notice_due_at"],
        postgresql_where=sa.text("notice_due_at IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_api_keys_notice_due", table_name="api_keys")
    op.drop_column("api_keys", "notice_due_at")
