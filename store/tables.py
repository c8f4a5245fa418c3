"""The tables. `migrations/` makes them; a test asserts that both agree.

Tenant tables are keyed by (client_id, id), and their foreign keys carry client_id too, so that no
row can point into another tenant whatever the code does. Row-level security is the second wall:
`migrations/tenancy.py` puts it up.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

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
from store.agent_tables import (
    action_ledger,
    brain_costs,
    escalation_tickets,
    sentiment_logs,
)
from store.content_tables import (
    client_settings,
    integrations,
    knowledge_embeddings,
    knowledge_entries,
    playbook_versions,
    playbooks,
    response_templates,
)
from store.record_tables import (
    automation_events,
    churn_predictions,
    erasures,
    inbound_events,
    metrics_daily,
)
from store.schema import json, metadata, tenant_key, text, time
from store.webhook_tables import (
    outbox,
    webhook_deliveries,
    webhook_misses,
    webhook_subscriptions,
)

__all__ = [
    "action_ledger",
    "ai_conversations",
    "api_keys",
    "automation_events",
    "brain_costs",
    "churn_predictions",
    "client_settings",
    "client_users",
    "clients",
    "credit_ledger",
    "engine_events",
    "engine_messages",
    "engine_runs",
    "erasures",
    "error_reports",
    "escalation_tickets",
    "idempotency_keys",
    "inbound_events",
    "integrations",
    "knowledge_embeddings",
    "knowledge_entries",
    "metadata",
    "metrics_daily",
    "outbox",
    "playbook_versions",
    "playbooks",
    "rate_windows",
    "response_templates",
    "sentiment_logs",
    "thresholds_sent",
    "usage_counters",
    "usage_ledger",
    "users",
    "webhook_deliveries",
    "webhook_misses",
    "webhook_subscriptions",
]

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
    # When the erasure of its customer began: no step works on it any more.
    time("erased_at", nullable=True),
    sa.CheckConstraint("outcome IN ('run', 'no_playbook')", name="outcome"),
    sa.Index(
        "ix_engine_events_erased",
        "client_id",
        "id",
        postgresql_where=sa.text("erased_at IS NOT NULL"),
    ),
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
    # Why a human must see it, however sure the brain is.
    text("hold", nullable=True),
    json("plan", "[]"),
    json("steps", "[]"),
    json("citations", "[]"),
    sa.Column("sentiment", sa.Double, nullable=True),
    # The order that was looked up for it, or why there is none.
    sa.Column("lookup", JSONB, nullable=True),
    # The knowledge and templates that the brain was shown, by id, title and rank.
    json("findings", "[]"),
    json("verdicts", "[]"),
    # Why it was first handed to a human.
    text("handoff_reason", nullable=True),
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
    # The latest score, and whether it lies in the critical zone.
    sa.Column("sentiment", sa.Double, nullable=True),
    sa.Column("is_critical", sa.Boolean, nullable=False, server_default=sa.false()),
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
