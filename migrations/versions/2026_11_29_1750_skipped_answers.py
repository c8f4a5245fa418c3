"""add the mark of conversations whose latest message has no answer on purpose

Revision: d4e81b26c07f
Follows: c93a50f7b1d8
"""

import sqlalchemy as sa
from alembic import op

revision = "d4e81b26c07f"
down_revision = "c93a50f7b1d8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "ai_conversations",
        sa.Column("answer_skipped", sa.Boolean(), server_default=sa.false(), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("ai_conversations", "answer_skipped")
