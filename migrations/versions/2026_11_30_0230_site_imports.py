"""import knowledge from websites

An import reads pages, and each page becomes a suggestion. An accepted entry keeps its page's
address.

Revision: 5e90b7c2d1f4
Follows: a4c1e93b7d52
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "5e90b7c2d1f4"
down_revision = "a4c1e93b7d52"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("knowledge_entries", sa.Column("source_url", sa.Text(), nullable=True))
    op.add_column("knowledge_entries", sa.Column("source_digest", sa.Text(), nullable=True))
    for name in ("source_read_at", "source_changed_at"):
        op.add_column(
            "knowledge_entries", sa.Column(name, sa.DateTime(timezone=True), nullable=True)
        )
    op.add_column("suggestions", sa.Column("source", postgresql.JSONB(), nullable=True))
    _site_imports()
    _site_pages()
    op.create_table(
        "dismissed_pages",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_dismissed_pages_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "url", name=op.f("pk_dismissed_pages")),
    )
    tenancy.protect("site_imports")
    tenancy.protect("site_pages")
    tenancy.protect("dismissed_pages")


def _site_imports() -> None:
    op.create_table(
        "site_imports",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("robots", sa.LargeBinary(), nullable=True),
        sa.Column("follows", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("pause_s", sa.Float(), server_default="0", nullable=False),
        sa.Column("bytes_read", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed')", name=op.f("ck_site_imports_state")
        ),
        sa.CheckConstraint("scope IN ('site', 'page')", name=op.f("ck_site_imports_scope")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_site_imports_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_site_imports")),
    )
    op.create_index(op.f("ix_site_imports_id"), "site_imports", ["id"])
    op.create_index(
        "ix_site_imports_unfinished",
        "site_imports",
        ["created_at", "id"],
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )


def _site_pages() -> None:
    op.create_table(
        "site_pages",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("import_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("bytes_read", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_site_pages_client_id")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "import_id"],
            ["site_imports.client_id", "site_imports.id"],
            name=op.f("fk_site_pages_client_id_import_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("client_id", "import_id", "place", name=op.f("pk_site_pages")),
        sa.UniqueConstraint(
            "client_id", "import_id", "url", name=op.f("uq_site_pages_client_id_import_id_url")
        ),
    )


def downgrade() -> None:
    for table in ("dismissed_pages", "site_pages", "site_imports"):
        tenancy.unprotect(table)
        op.drop_table(table)
    op.drop_column("suggestions", "source")
    for name in ("source_changed_at", "source_read_at", "source_digest", "source_url"):
        op.drop_column("knowledge_entries", name)
