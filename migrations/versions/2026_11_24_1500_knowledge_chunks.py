"""add knowledge chunks

Search finds entries by their chunks, and answers quote sentences, so both have embeddings. The old
embeddings of whole entries are dropped. The sweep creates the new ones.

Revision: 5d0c7be1a934
Follows: 7c4e19a0d2b6
"""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects.postgresql import ARRAY

from migrations.tenancy import protect, unprotect

revision = "5d0c7be1a934"
down_revision = "7c4e19a0d2b6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    unprotect("knowledge_embeddings")
    op.drop_table("knowledge_embeddings")
    op.create_table(
        "knowledge_chunks",
        sa.Column("client_id", sa.Text, nullable=False),
        sa.Column("entry_id", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("heading", sa.Text, nullable=False),
        sa.Column("sentences", ARRAY(sa.Text), nullable=False),
        sa.Column("embedding", VECTOR(), nullable=False),
        sa.Column("sentence_embeddings", ARRAY(VECTOR()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        _entry("knowledge_chunks"),
        sa.PrimaryKeyConstraint("client_id", "entry_id", "place", name=op.f("pk_knowledge_chunks")),
    )
    protect("knowledge_chunks")


def downgrade() -> None:
    unprotect("knowledge_chunks")
    op.drop_table("knowledge_chunks")
    op.create_table(
        "knowledge_embeddings",
        sa.Column("client_id", sa.Text, nullable=False),
        sa.Column("entry_id", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("embedding", VECTOR(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        _entry("knowledge_embeddings"),
        sa.PrimaryKeyConstraint("client_id", "entry_id", name=op.f("pk_knowledge_embeddings")),
    )
    protect("knowledge_embeddings")


def _entry(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["client_id", "entry_id"],
        ["knowledge_entries.client_id", "knowledge_entries.id"],
        name=op.f(f"fk_{table}_client_id_entry_id"),
        ondelete="CASCADE",
    )
