"""keep deleted playbooks

The versions of a deleted playbook are kept, because they explain its past runs.

Revision: b81e0c64d2f7
Follows: 5e8b1f0c27da
"""

import sqlalchemy as sa
from alembic import op

revision = "b81e0c64d2f7"
down_revision = "5e8b1f0c27da"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("playbooks", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    # The older version of the service shows deleted playbooks again, but they are inactive.
    op.drop_column("playbooks", "deleted_at")
