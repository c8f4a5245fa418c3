"""The tables of templates, knowledge and suggested content."""

from typing import Final

import sqlalchemy as sa
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR
from sqlalchemy.types import UserDefinedType

from store.core.schema import json, metadata, points_to, tenant_key, text, time


class Vectors(UserDefinedType[str]):
    """A column type for an array of vectors. Only SQL reads its values."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "vector[]"


response_templates: Final = sa.Table(
    "response_templates",
    metadata,
    *tenant_key(),
    text("name"),
    text("category"),
    text("language"),
    text("body"),
    # The customer intent for which the template may be sent. A draft from a template without an
    # intent is always reviewed by a human before it is sent.
    text("intent", nullable=True),
    # Words in a customer's message that prevent the template from being used.
    json("not_for", "[]"),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
    # Whether this is a starter template that the client has not edited.
    sa.Column("is_starter", sa.Boolean, nullable=False, server_default=sa.false()),
    time("created_at"),
    time("updated_at", nullable=True),
    sa.CheckConstraint("language IN ('fr', 'en')", name="language"),
)

_SEARCH: Final = """to_tsvector(
    CASE language WHEN 'fr' THEN 'french'::regconfig ELSE 'english'::regconfig END, search_text)"""

knowledge_entries: Final = sa.Table(
    "knowledge_entries",
    metadata,
    *tenant_key(),
    text("title"),
    text("body"),
    text("language"),
    # The title and body without accents. Customers rarely type accents, and a stemmer needs the
    # same spelling in the query and in the text.
    text("search_text"),
    sa.Column("search", TSVECTOR, sa.Computed(_SEARCH, persisted=True), nullable=False),
    time("created_at"),
    time("updated_at", nullable=True),
    # The digest of the current title and body. It is None if an earlier version wrote the entry,
    # until the sweep sets it.
    sa.Column("digest", sa.LargeBinary, nullable=True),
    # Failed attempts to embed the current text, and the time of the next attempt.
    sa.Column("embedding_failures", sa.Integer, nullable=False, server_default="0"),
    time("embedding_retry_at", nullable=True),
    sa.CheckConstraint("language IN ('fr', 'en')", name="language"),
    sa.Index(None, "search", postgresql_using="gin"),
    # The sweep scans these columns for entries without embeddings of their current text.
    sa.Index("ix_knowledge_entries_stale", "client_id", "id", "digest"),
    sa.Index(
        "ix_knowledge_entries_no_digest",
        "client_id",
        "id",
        postgresql_where=sa.text("digest IS NULL"),
    ),
)

# Chunks of knowledge entries, with their embeddings. The vectors have no fixed number of
# dimensions, because models differ. No vector index is needed, because each client's chunks are few
# enough to scan. The sentence vectors are stored out of line, so that a scan does not read them.
knowledge_chunks: Final = sa.Table(
    "knowledge_chunks",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("entry_id", sa.Text, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
    text("model"),
    # The digest of the title and body that were chunked and embedded.
    sa.Column("digest", sa.LargeBinary, nullable=False),
    text("heading"),
    sa.Column("sentences", ARRAY(sa.Text), nullable=False),
    sa.Column("embedding", VECTOR(), nullable=False),
    sa.Column("sentence_embeddings", Vectors(), nullable=False),
    time("created_at"),
    points_to("knowledge_entries", "entry_id", ondelete="CASCADE"),
    sa.Index(
        "ix_knowledge_chunks_first",
        "client_id",
        "entry_id",
        "model",
        "digest",
        postgresql_where=sa.text("place = 0"),
    ),
)

# Content suggested by assistants and pending a member's decision. The decision deletes the row.
suggestions: Final = sa.Table(
    "suggestions",
    metadata,
    *tenant_key(),
    sa.Column("proposed", JSONB, nullable=False),
    text("reason"),
    text("suggested_by"),
    time("created_at"),
)
