"""add the status, the assignee and the tags of conversations

Revision: c81f4e2a7b36
Follows: 7ac15e93d0f2
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "c81f4e2a7b36"
down_revision = "7ac15e93d0f2"
branch_labels = None
depends_on = None

_TABLE = "ai_conversations"


def upgrade() -> None:
    for name in ("closed_at", "snoozed_until"):
        op.add_column(_TABLE, sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.add_column(_TABLE, sa.Column("assignee", sa.Text(), nullable=True))
    op.add_column(
        _TABLE,
        sa.Column("tags", JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False),
    )


def downgrade() -> None:
    for name in ("tags", "assignee", "snoozed_until", "closed_at"):
        op.drop_column(_TABLE, name)
