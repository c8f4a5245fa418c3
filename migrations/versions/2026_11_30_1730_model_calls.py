"""add the record of a run's model calls

Revision: c1f0a7d45e92
Follows: 8d3fa1c64b07
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import protect, unprotect

revision = "c1f0a7d45e92"
down_revision = "8d3fa1c64b07"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_calls",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("client_id", "run_id", "key", name="pk_model_calls"),
        sa.ForeignKeyConstraint(
            ["client_id", "run_id"],
            ["engine_runs.client_id", "engine_runs.id"],
            name="fk_model_calls_client_id_run_id",
            ondelete="CASCADE",
        ),
    )
    protect("model_calls")


def downgrade() -> None:
    unprotect("model_calls")
    op.drop_table("model_calls")
