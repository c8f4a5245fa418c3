"""mark the messages that a review's reply covers

A message that was added to a review is marked when a reviewer who has seen it writes the reply.

Revision: 80c0f3e5a1d4
Follows: 5b0d2c7e91fa
"""

import sqlalchemy as sa
from alembic import op

revision = "80c0f3e5a1d4"
down_revision = "5b0d2c7e91fa"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "engine_runs",
        sa.Column("covered", sa.Boolean, nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    op.drop_column("engine_runs", "covered")
