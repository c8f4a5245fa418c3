"""add the words of a draft that the guards rejected

Revision: a4c1e93b7d52
Follows: 6b0e93c5a7d4
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "a4c1e93b7d52"
down_revision = "6b0e93c5a7d4"
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
