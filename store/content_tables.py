"""The tables of what a client brings: settings, playbooks, templates, knowledge, integrations."""

from typing import Final

import sqlalchemy as sa
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects.postgresql import TSVECTOR

from store.schema import json, metadata, tenant_key, text, time

# What a client has set; a client without a row has set nothing.
client_settings: Final = sa.Table(
    "client_settings",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    # The merchant's own instructions to a language model.
    text("system_prompt", nullable=True),
    json("branding", "{}"),
    # Public: it stands in the pages that show the widget.
    text("widget_key", nullable=True),
    # Days that records are kept, by class, where they differ from `domain/retention.py`.
    json("retention", "{}"),
    time("updated_at"),
    sa.UniqueConstraint("widget_key"),
)

playbooks: Final = sa.Table(
    "playbooks",
    metadata,
    *tenant_key(),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    time("created_at"),
)

playbook_versions: Final = sa.Table(
    "playbook_versions",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("playbook_id", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    text("name"),
    text("event_type"),
    sa.Column("threshold", sa.Double, nullable=False),
    json("rulebook", "{}"),
    time("created_at"),
    sa.ForeignKeyConstraint(["client_id", "playbook_id"], ["playbooks.client_id", "playbooks.id"]),
    sa.CheckConstraint("threshold BETWEEN 0 AND 1", name="threshold"),
)

response_templates: Final = sa.Table(
    "response_templates",
    metadata,
    *tenant_key(),
    text("name"),
    text("category"),
    text("language"),
    text("body"),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
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
    # Title and body without accents: customers rarely type them, and the stemmers need them equal.
    text("search_text"),
    sa.Column("search", TSVECTOR, sa.Computed(_SEARCH, persisted=True), nullable=False),
    time("created_at"),
    time("updated_at", nullable=True),
    sa.CheckConstraint("language IN ('fr', 'en')", name="language"),
    sa.Index(None, "search", postgresql_using="gin"),
)

# How near a knowledge entry is to a question, where an embedding provider is set. Without a fixed
# number of dimensions, for each model has its own; a client's entries are few enough to scan.
knowledge_embeddings: Final = sa.Table(
    "knowledge_embeddings",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("entry_id", sa.Text, primary_key=True),
    text("model"),
    # Of the title and body that were embedded: a changed entry is embedded anew.
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("embedding", VECTOR(), nullable=False),
    time("created_at"),
    sa.ForeignKeyConstraint(
        ["client_id", "entry_id"],
        ["knowledge_entries.client_id", "knowledge_entries.id"],
        ondelete="CASCADE",
    ),
)

integrations: Final = sa.Table(
    "integrations",
    metadata,
    *tenant_key(),
    text("provider"),
    text("status"),
    json("settings", "{}"),
    # Credentials, encrypted with SEAL_KEY; never in a log, never in an export.
    text("sealed"),
    text("error_code", nullable=True),
    time("connected_at"),
    time("disconnected_at", nullable=True),
    # One live connection a provider: whose shop is asked must never be a matter of luck.
    sa.Index(
        "ux_integrations_live",
        "client_id",
        "provider",
        unique=True,
        postgresql_where=sa.text("status <> 'disconnected'"),
    ),
    sa.CheckConstraint("status IN ('connected', 'disconnected', 'error')", name="status"),
    sa.CheckConstraint(
        "provider IN ('shopify', 'stripe', 'demo_shop', 'zendesk', 'gorgias')", name="provider"
    ),
)
