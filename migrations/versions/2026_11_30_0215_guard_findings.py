"""add the words of a draft that the guards rejected

Revision: a4c1e93b7d52
Follows: d2f61a8c40e7
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "a4c1e93b7d52"
down_revision = "d2f61a8c40e7"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "engine_runs",
        sa.Column(
            "guard_findings",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
    )


def downgrade() -> None:
    op.drop_column("engine_runs", "guard_findings")
