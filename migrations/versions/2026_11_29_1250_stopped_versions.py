"""record when a playbook version stops answering events

Revision: 9c4e7a25d1f3
Follows: 2f8c6a1d70be
"""

import sqlalchemy as sa
from alembic import op

revision = "9c4e7a25d1f3"
down_revision = "2f8c6a1d70be"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "playbook_versions", sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True)
    )


def downgrade() -> None:
    op.drop_column("playbook_versions", "stopped_at")
