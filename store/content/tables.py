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
    # The page from which the entry was imported. `source_digest`: the digest of the page's text
    # when a member accepted it. `source_changed_at`: when a later import first found another text.
    text("source_url", nullable=True),
    text("source_digest", nullable=True),
    time("source_read_at", nullable=True),
    time("source_changed_at", nullable=True),
    # The integration from which the page was read, or NULL for a website.
    text("source_integration_id", nullable=True),
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

# Chunks of knowledge entries, with their embeddings. Vectors have no fixed dimension, because
# models differ. They need no index, because a client's chunks are few, and are stored out of line.
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

# Content suggested by assistants or imported from websites, pending a member's decision. The
# decision deletes the row. `source`: the page of a website, or NULL.
suggestions: Final = sa.Table(
    "suggestions",
    metadata,
    *tenant_key(),
    sa.Column("proposed", JSONB, nullable=False),
    text("reason"),
    text("suggested_by"),
    time("created_at"),
    sa.Column("source", JSONB(none_as_null=True), nullable=True),
)

# Imports of knowledge from websites and connected systems. `robots`: the site's robots.txt, or NULL
# if it has none. `follows`: whether the import follows links because the site has no sitemap.
# `bytes_read`: the size of the responses that are not pages.
site_imports: Final = sa.Table(
    "site_imports",
    metadata,
    *tenant_key(),
    text("url"),
    text("scope"),
    text("integration_id", nullable=True),
    text("state"),
    sa.Column("robots", sa.LargeBinary, nullable=True),
    sa.Column("follows", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("pause_s", sa.Float, nullable=False, server_default="0"),
    sa.Column("bytes_read", sa.BigInteger, nullable=False, server_default="0"),
    text("error_code", nullable=True),
    text("started_by"),
    time("created_at"),
    time("finished_at", nullable=True),
    sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="state"),
    sa.CheckConstraint("scope IN ('site', 'page')", name="scope"),
    sa.Index(
        "ix_site_imports_unfinished",
        "created_at",
        "id",
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    ),
    # This index serves lookups by import id without a client id.
    sa.Index(None, "id"),
)

# The pages of an import, in the order in which it reads them.
site_pages: Final = sa.Table(
    "site_pages",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("import_id", sa.Text, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
    text("url"),
    # The id of an article in a connected system, or NULL for a page of a website.
    text("reference", nullable=True),
    sa.Column("depth", sa.Integer, nullable=False),
    text("state"),
    text("note", nullable=True),
    sa.Column("title", sa.Text, nullable=False, server_default=""),
    sa.Column("bytes_read", sa.BigInteger, nullable=False, server_default="0"),
    time("read_at", nullable=True),
    points_to("site_imports", "import_id", ondelete="CASCADE"),
    sa.UniqueConstraint("client_id", "import_id", "url"),
)

# Pages of websites that a member has dismissed. A page is suggested again once its text changes.
dismissed_pages: Final = sa.Table(
    "dismissed_pages",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("url", sa.Text, primary_key=True),
    text("digest"),
    time("created_at"),
)
