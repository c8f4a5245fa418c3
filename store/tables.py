"""The tables. `migrations/` makes them; a test asserts that both agree.

Tenant tables are keyed by (client_id, id), and their foreign keys carry client_id too, so that no
row can point into another tenant whatever the code does. Row-level security is the second wall:
`migrations/tenancy.py` puts it up.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

from store.account_tables import (
    api_keys,
    client_users,
    clients,
    credit_ledger,
    thresholds_sent,
    usage_counters,
    usage_ledger,
    users,
)
from store.schema import json, metadata, tenant_key, text, time

__all__ = [
    "action_ledger",
    "ai_conversations",
    "api_keys",
    "client_users",
    "clients",
    "credit_ledger",
    "engine_events",
    "engine_messages",
    "engine_runs",
    "error_reports",
    "escalation_tickets",
    "idempotency_keys",
    "knowledge_entries",
    "metadata",
    "playbook_versions",
    "playbooks",
    "rate_windows",
    "response_templates",
    "thresholds_sent",
    "usage_counters",
    "usage_ledger",
    "users",
]

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
    time("created_at"),
    sa.ForeignKeyConstraint(["client_id", "playbook_id"], ["playbooks.client_id", "playbooks.id"]),
    sa.CheckConstraint("threshold BETWEEN 0 AND 1", name="threshold"),
)

engine_events: Final = sa.Table(
    "engine_events",
    metadata,
    *tenant_key(),
    text("source", nullable=True),
    text("event_type"),
    text("customer_email", nullable=True),
    text("message", nullable=True),
    text("subject", nullable=True),
    text("text", nullable=True),
    json("payload", "{}"),
    sa.Column("unified", JSONB, nullable=True),
    text("outcome"),
    time("received_at"),
    sa.CheckConstraint("outcome IN ('run', 'no_playbook')", name="outcome"),
)

idempotency_keys: Final = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("body_digest", sa.LargeBinary, nullable=False),
    text("event_id"),
    time("created_at"),
)

engine_runs: Final = sa.Table(
    "engine_runs",
    metadata,
    *tenant_key(),
    text("event_id"),
    text("playbook_id"),
    sa.Column("playbook_version", sa.Integer, nullable=False),
    text("status"),
    text("classification", nullable=True),
    sa.Column("confidence", sa.Double, nullable=True),
    json("alternatives", "[]"),
    text("language", nullable=True),
    text("draft", nullable=True),
    text("response", nullable=True),
    # What the caller was told: the first outcome, whatever a human decides later.
    sa.Column("answer", JSONB, nullable=True),
    text("doubt", nullable=True),
    json("plan", "[]"),
    json("steps", "[]"),
    json("citations", "[]"),
    text("model", nullable=True),
    sa.Column("tokens_in", sa.Integer, nullable=False, server_default="0"),
    sa.Column("tokens_out", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cost_micros", sa.BigInteger, nullable=False, server_default="0"),
    json("timings", "{}"),
    sa.Column("duration_ms", sa.Integer, nullable=True),
    text("error_code", nullable=True),
    time("received_at"),
    time("answered_at", nullable=True),
    time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "event_id"),
    sa.ForeignKeyConstraint(
        ["client_id", "event_id"], ["engine_events.client_id", "engine_events.id"]
    ),
    sa.ForeignKeyConstraint(
        ["client_id", "playbook_id", "playbook_version"],
        [
            "playbook_versions.client_id",
            "playbook_versions.playbook_id",
            "playbook_versions.version",
        ],
    ),
    sa.CheckConstraint(
        "status IN ('received', 'completed', 'needs_review', 'failed')", name="status"
    ),
    # The sweeper looks for runs nobody answered; healthy ones leave this index at once.
    sa.Index(
        "ix_engine_runs_received", "received_at", postgresql_where=sa.text("status = 'received'")
    ),
)

ai_conversations: Final = sa.Table(
    "ai_conversations",
    metadata,
    *tenant_key(),
    text("key"),
    text("channel"),
    text("customer_email", nullable=True),
    json("turns", "[]"),
    text("summary"),
    time("created_at"),
    time("last_message_at"),
    sa.UniqueConstraint("client_id", "key"),
)

engine_messages: Final = sa.Table(
    "engine_messages",
    metadata,
    *tenant_key(),
    text("event_id"),
    text("conversation_id", nullable=True),
    text("direction"),
    text("channel", nullable=True),
    # The customer's address as the limit for one customer counts it.
    text("customer_key", nullable=True),
    text("author"),
    text("body"),
    time("created_at"),
    sa.ForeignKeyConstraint(
        ["client_id", "event_id"], ["engine_events.client_id", "engine_events.id"]
    ),
    sa.ForeignKeyConstraint(
        ["client_id", "conversation_id"], ["ai_conversations.client_id", "ai_conversations.id"]
    ),
    sa.Index(None, "client_id", "conversation_id", "created_at"),
    # What the gateway's limits count: a client's latest messages, and those of one customer.
    sa.Index(
        "ix_engine_messages_inbound",
        "client_id",
        "created_at",
        postgresql_where=sa.text("direction = 'inbound'"),
    ),
    sa.Index(
        "ix_engine_messages_customer",
        "client_id",
        "customer_key",
        "created_at",
        postgresql_where=sa.text("direction = 'inbound' AND customer_key IS NOT NULL"),
    ),
    # One inbound and at most one outbound message an event: a retried step writes nothing twice.
    sa.UniqueConstraint("client_id", "event_id", "direction"),
    sa.CheckConstraint("direction IN ('inbound', 'outbound')", name="direction"),
    sa.CheckConstraint("author IN ('customer', 'agent', 'human')", name="author"),
)

escalation_tickets: Final = sa.Table(
    "escalation_tickets",
    metadata,
    *tenant_key(),
    text("run_id"),
    sa.Column("round", sa.Integer, nullable=False),
    text("status"),
    text("reason"),
    text("draft"),
    json("plan", "[]"),
    text("claimed_by", nullable=True),
    text("decided_by", nullable=True),
    time("decided_at", nullable=True),
    text("decision", nullable=True),
    text("edited_text", nullable=True),
    time("expires_at"),
    time("created_at"),
    time("taken_up_at", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "round"),
    sa.ForeignKeyConstraint(["client_id", "run_id"], ["engine_runs.client_id", "engine_runs.id"]),
    sa.CheckConstraint(
        "status IN ('pending', 'claimed', 'approved', 'edited', 'rejected', 'expired')",
        name="status",
    ),
    # The sweeper re-signals decisions that their workflow has not taken up.
    sa.Index(
        "ix_escalation_tickets_untaken",
        "decided_at",
        postgresql_where=sa.text("decided_at IS NOT NULL AND taken_up_at IS NULL"),
    ),
    sa.Index(None, "client_id", "status", "created_at"),
)

action_ledger: Final = sa.Table(
    "action_ledger",
    metadata,
    *tenant_key(),
    text("run_id"),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    text("action"),
    text("state"),
    text("detail"),
    time("planned_at"),
    time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "step", "round"),
    sa.ForeignKeyConstraint(["client_id", "run_id"], ["engine_runs.client_id", "engine_runs.id"]),
    sa.CheckConstraint("state IN ('planned', 'done', 'failed', 'unknown')", name="state"),
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
    sa.CheckConstraint("language IN ('fr', 'en')", name="language"),
    sa.Index(None, "search", postgresql_using="gin"),
)

# What went wrong on our side, for operators without an error tracker. No customer's words.
error_reports: Final = sa.Table(
    "error_reports",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("request_id", nullable=True),
    text("client_id", nullable=True),
    text("event_id", nullable=True),
    text("place"),
    text("code"),
    json("exception", "[]"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
)

# Short-term limits shared by all processes: the times of the requests that still count. Unlogged:
# what a crash of the server forgets is at most a minute old.
rate_windows: Final = sa.Table(
    "rate_windows",
    metadata,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("hits", ARRAY(sa.DateTime(timezone=True)), nullable=False),
    sa.Column("lapses_at", sa.DateTime(timezone=True), nullable=False, index=True),
    prefixes=["UNLOGGED"],
)
