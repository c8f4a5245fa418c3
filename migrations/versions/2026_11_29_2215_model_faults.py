"""add the fault of a run's language model, and alarms about language models

Revision: d2f61a8c40e7
Follows: f04d7b1e9a36
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "d2f61a8c40e7"
down_revision = "f04d7b1e9a36"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("engine_runs", sa.Column("model_fault", sa.Text(), nullable=True))
    op.create_table(
        "model_alarms",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("mailed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_model_alarms_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "fault", name=op.f("pk_model_alarms")),
    )
    tenancy.protect("model_alarms")


def downgrade() -> None:
    op.drop_table("model_alarms")
    op.drop_column("engine_runs", "model_fault")
