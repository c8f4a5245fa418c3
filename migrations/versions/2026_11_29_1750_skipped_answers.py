"""add the mark of conversations whose latest message has no answer on purpose

Revision: d4e81b26c07f
Follows: 8f03c5a2e916
"""

import sqlalchemy as sa
from alembic import op

revision = "d4e81b26c07f"
down_revision = "8f03c5a2e916"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "ai_conversations",
        sa.Column("answer_skipped", sa.Boolean(), server_default=sa.false(), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("ai_conversations", "answer_skipped")
