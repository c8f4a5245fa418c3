"""add suggestions

A suggestion is an addition to templates or knowledge that an AI client proposes. It is stored
until a member decides.

Revision: 6d2f4b8a9c31
Follows: a91c5e0d7b36
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "6d2f4b8a9c31"
down_revision = "a91c5e0d7b36"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "suggestions",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("proposed", postgresql.JSONB(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("suggested_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_suggestions_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_suggestions")),
    )
    tenancy.protect("suggestions")


def downgrade() -> None:
    tenancy.unprotect("suggestions")
    op.drop_table("suggestions")
