"""add members' visits to Home

Revision: 5b0c9d7e61fa
Follows: e5b92d7f0c14
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "5b0c9d7e61fa"
down_revision = "e5b92d7f0c14"
branch_labels = None
depends_on = None

_TABLE = "home_visits"


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("away_since", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_home_visits_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "user_id", name=op.f("pk_home_visits")),
    )
    tenancy.protect(_TABLE)


def downgrade() -> None:
    tenancy.unprotect(_TABLE)
    op.drop_table(_TABLE)
