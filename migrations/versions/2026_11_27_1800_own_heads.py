"""add clients' own heads of the embedded classifier

Revision: b7c40e6a9d12
Follows: 4e90d2b6c1a8
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import protect, unprotect

revision = "b7c40e6a9d12"
down_revision = "4e90d2b6c1a8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "own_heads",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("tickets", sa.Integer(), nullable=False),
        sa.Column("won", sa.Integer(), nullable=False),
        sa.Column("lost", sa.Integer(), nullable=False),
        sa.Column("both_right", sa.Integer(), nullable=False),
        sa.Column("weights", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('used', 'no_better', 'too_few')", name=op.f("ck_own_heads_state")
        ),
        sa.CheckConstraint("octet_length(weights) <= 51200", name=op.f("ck_own_heads_weights")),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_own_heads_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_own_heads")),
    )
    protect("own_heads")


def downgrade() -> None:
    unprotect("own_heads")
    op.drop_table("own_heads")
