"""record failed attempts to embed a knowledge entry

Revision: 5d2a9be04c71
Follows: 84e0b6d3c719
"""

import sqlalchemy as sa
from alembic import op

revision = "5d2a9be04c71"
down_revision = "84e0b6d3c719"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "knowledge_entries",
        sa.Column("embedding_failures", sa.Integer, nullable=False, server_default="0"),
    )
    op.add_column(
        "knowledge_entries",
        sa.Column("embedding_retry_at", sa.DateTime(timezone=True), nullable=True),
    )


def downgrade() -> None:
    op.drop_column("knowledge_entries", "embedding_retry_at")
    op.drop_column("knowledge_entries", "embedding_failures")
