"""add the audit log

Adds a hash chain of entries for each client, the head of the chain, and a daily anchor.

Revision: c4d7e1a90b36
Follows: 3f6a1d9c7e20
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import protect, unprotect

revision = "c4d7e1a90b36"
down_revision = "3f6a1d9c7e20"
branch_labels = None
depends_on = None

_APPENDED = ("audit_entries", "audit_anchors")


def upgrade() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("login", sa.Text(), nullable=True),
        sa.Column("network", sa.Text(), nullable=True),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column(
            "ids",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("previous", sa.LargeBinary(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("client_id", "seq", name=op.f("pk_audit_entries")),
    )
    op.create_table(
        "audit_heads",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("client_id", name=op.f("pk_audit_heads")),
    )
    op.create_table(
        "audit_anchors",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("client_id", "seq", name=op.f("pk_audit_anchors")),
    )
    op.create_index(
        op.f("ix_audit_anchors_day_client_id_seq"), "audit_anchors", ["day", "client_id", "seq"]
    )
    protect("audit_heads", rights="SELECT, INSERT, UPDATE")
    op.execute(
        """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION '% is append-only', TG_TABLE_NAME
                USING ERRCODE = 'insufficient_privilege';
        END $$"""
    )
    for table in _APPENDED:
        protect(table, rights="SELECT, INSERT")
        # The privileges restrict the service. The trigger also restricts the owner of the table,
        # unless the owner drops it.
        op.execute(
            f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            f"CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )


def downgrade() -> None:
    for table in ("audit_anchors", "audit_heads", "audit_entries"):
        unprotect(table)
        op.drop_table(table)
    op.execute("DROP FUNCTION refuse_change")
