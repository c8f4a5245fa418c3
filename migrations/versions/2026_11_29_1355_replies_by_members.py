"""record whether a member wrote a reply

Replies from before the upgrade count as written by an operator. The author's membership is not
checked again before such a reply is sent.

Revision: d10e5b7a93f4
Follows: b64f0d92e7c1
"""

import sqlalchemy as sa
from alembic import op

revision = "d10e5b7a93f4"
down_revision = "b64f0d92e7c1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "conversation_replies",
        sa.Column("by_member", sa.Boolean(), server_default=sa.false(), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("conversation_replies", "by_member")
