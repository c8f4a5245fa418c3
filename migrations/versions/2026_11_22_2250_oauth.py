"""add OAuth clients and codes

Revision: a91c5e0d7b36
Follows: 7d2c91ab40e6
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "a91c5e0d7b36"
down_revision = "7d2c91ab40e6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "oauth_clients",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("redirect_uris", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_clients")),
    )
    op.create_index(
        "ix_oauth_clients_unused",
        "oauth_clients",
        ["created_at"],
        postgresql_where=sa.text("used_at IS NULL"),
    )
    op.create_table(
        "oauth_codes",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("oauth_client_id", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("key_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_oauth_codes_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_oauth_codes")),
        sa.UniqueConstraint("digest", name=op.f("uq_oauth_codes_digest")),
    )
    op.create_index(op.f("ix_oauth_codes_created_at"), "oauth_codes", ["created_at"])
    tenancy.protect("oauth_clients", tenant_column=None)
    tenancy.protect("oauth_codes")


def downgrade() -> None:
    for table in ("oauth_codes", "oauth_clients"):
        tenancy.unprotect(table)
        op.drop_table(table)
