"""add codes that verify the email addresses of ticket authors

Revision: 10a7d1c3e5f2
Follows: 3d7a90c1e52b
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "10a7d1c3e5f2"
down_revision = "3d7a90c1e52b"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "address_codes",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_code", sa.Text(), nullable=True),
        sa.Column("tries_left", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("proved_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_address_codes_client_id")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "conversation_id"],
            ["ai_conversations.client_id", "ai_conversations.id"],
            name=op.f("fk_address_codes_client_id_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_address_codes")),
    )
    op.create_index(
        op.f("ix_address_codes_client_id_email_created_at"),
        "address_codes",
        ["client_id", "email", "created_at"],
    )
    op.create_index(
        op.f("ix_address_codes_client_id_conversation_id"),
        "address_codes",
        ["client_id", "conversation_id"],
    )
    op.create_index(op.f("ix_address_codes_created_at"), "address_codes", ["created_at"])
    tenancy.protect("address_codes")


def downgrade() -> None:
    tenancy.unprotect("address_codes")
    op.drop_table("address_codes")
