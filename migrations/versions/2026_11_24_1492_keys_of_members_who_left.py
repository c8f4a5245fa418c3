"""add the mail about keys created by members who left

Adds the time at which managers are mailed about a key whose creator has left the client. No mail is
sent if a manager has already decided whether to keep the key.

Revision: c4e81f9a27d6
Follows: 91b7e40d5c26
"""

import sqlalchemy as sa
from alembic import op

revision = "c4e81f9a27d6"
down_revision = "91b7e40d5c26"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("notice_due_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("api_keys", "notice_due_at")
