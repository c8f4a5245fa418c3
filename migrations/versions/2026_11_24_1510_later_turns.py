"""add later messages in a conversation under review

The agent reads messages that arrive during a review. It may change the review's draft and plan, or
answer the message separately.

Revision: 7c4e19a0d2b6
Follows: 5e19c7d0a3b8
"""

import sqlalchemy as sa
from alembic import op

revision = "7c4e19a0d2b6"
down_revision = "5e19c7d0a3b8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "engine_runs",
        sa.Column("in_draft", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.add_column("engine_runs", sa.Column("aside_of", sa.Text, nullable=True))
    op.add_column(
        "escalation_tickets",
        sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
    )


def downgrade() -> None:
    op.drop_column("escalation_tickets", "revision")
    op.drop_column("engine_runs", "aside_of")
    op.drop_column("engine_runs", "in_draft")
