"""The tables. `migrations/` makes them; a test asserts that both agree.

Tenant tables are keyed by (client_id, id), and their foreign keys carry client_id too, so that no
row can point into another tenant whatever the code does. Row-level security is the second wall:
`migrations/tenancy.py` puts it up.
"""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _text(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> "sa.Column[datetime]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _json(name: str, default: str) -> "sa.Column[object]":
    return sa.Column(name, JSONB, nullable=False, server_default=sa.text(f"'{default}'::jsonb"))


def _tenant_key() -> tuple["sa.Column[str]", "sa.Column[str]"]:
    """client_id and id, together the primary key."""
    client_id: sa.Column[str] = sa.Column(
        "client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True
    )
    return client_id, sa.Column("id", sa.Text, primary_key=True)


users: Final = sa.Table(
    "users",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _text("email"),
    _time("created_at"),
    sa.UniqueConstraint("email"),
)

clients: Final = sa.Table(
    "clients",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("owner_user_id", sa.Text, sa.ForeignKey("users.id"), nullable=False, index=True),
    _text("brand_name"),
    _text("plan"),
    _time("trial_ends_at", nullable=True),
    # A downgrade waits for the end of the month it was asked for in.
    _text("next_plan", nullable=True),
    _time("next_plan_from", nullable=True),
    sa.Column("credits_balance", sa.BigInteger, nullable=False, server_default="0"),
    _time("created_at"),
    sa.CheckConstraint("plan IN ('free', 'starter', 'pro', 'enterprise')", name="plan"),
    sa.CheckConstraint("next_plan IN ('free', 'starter', 'pro', 'enterprise')", name="next_plan"),
    sa.CheckConstraint("(next_plan IS NULL) = (next_plan_from IS NULL)", name="next_plan_from"),
    sa.CheckConstraint("credits_balance >= 0", name="credits"),
)

client_users: Final = sa.Table(
    "client_users",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.id"), primary_key=True),
    _text("role"),
    _time("created_at"),
    sa.CheckConstraint("role IN ('owner', 'admin', 'agent', 'viewer')", name="role"),
    sa.Index(None, "user_id", "created_at"),
)

api_keys: Final = sa.Table(
    "api_keys",
    metadata,
    *_tenant_key(),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    _text("prefix"),
    _text("label"),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
    _time("created_at"),
    _time("revoked_at", nullable=True),
)

credit_ledger: Final = sa.Table(
    "credit_ledger",
    metadata,
    *_tenant_key(),
    sa.Column("amount", sa.BigInteger, nullable=False),
    _text("reason"),
    # Of the ticket that a credit paid for.
    _text("event_id", nullable=True),
    _time("created_at"),
    sa.UniqueConstraint("client_id", "event_id"),
    sa.CheckConstraint("amount <> 0", name="amount"),
)

_PERIOD: Final = r"period ~ '^\d{4}-(0[1-9]|1[0-2])$'"

usage_counters: Final = sa.Table(
    "usage_counters",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("tickets_used", sa.BigInteger, nullable=False),
    sa.CheckConstraint(_PERIOD, name="period"),
    sa.CheckConstraint("tickets_used >= 0", name="tickets_used"),
)

# One row a ticket: the counter of a month is the number of its rows.
usage_ledger: Final = sa.Table(
    "usage_ledger",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("event_id", sa.Text, primary_key=True),
    _text("period"),
    _text("paid_by"),
    _time("created_at"),
    sa.ForeignKeyConstraint(
        ["client_id", "event_id"], ["engine_events.client_id", "engine_events.id"]
    ),
    sa.CheckConstraint(_PERIOD, name="period"),
    sa.CheckConstraint("paid_by IN ('quota', 'credit')", name="paid_by"),
    sa.Index(None, "client_id", "period"),
)

thresholds_sent: Final = sa.Table(
    "thresholds_sent",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("threshold", sa.Integer, primary_key=True),
    sa.Column("tickets_used", sa.BigInteger, nullable=False),
    sa.Column("tickets_limit", sa.BigInteger, nullable=False),
    sa.Column("credits_balance", sa.BigInteger, nullable=False),
    _time("created_at"),
    sa.CheckConstraint(_PERIOD, name="period"),
    sa.CheckConstraint("threshold IN (80, 100)", name="threshold"),
)

playbooks: Final = sa.Table(
    "playbooks",
    metadata,
    *_tenant_key(),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    _time("created_at"),
)

playbook_versions: Final = sa.Table(
    "playbook_versions",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("playbook_id", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    _text("name"),
    _text("event_type"),
    sa.Column("threshold", sa.Double, nullable=False),
    _time("created_at"),
    sa.ForeignKeyConstraint(["client_id", "playbook_id"], ["playbooks.client_id", "playbooks.id"]),
    sa.CheckConstraint("threshold BETWEEN 0 AND 1", name="threshold"),
)

engine_events: Final = sa.Table(
    "engine_events",
    metadata,
    *_tenant_key(),
    _text("source", nullable=True),
    _text("event_type"),
    _text("customer_email", nullable=True),
    _text("message", nullable=True),
    _text("subject", nullable=True),
    _text("text", nullable=True),
    _json("payload", "{}"),
    sa.Column("unified", JSONB, nullable=True),
    _text("outcome"),
    _time("received_at"),
    sa.CheckConstraint("outcome IN ('run', 'no_playbook')", name="outcome"),
)

idempotency_keys: Final = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("body_digest", sa.LargeBinary, nullable=False),
    _text("event_id"),
    _time("created_at"),
)

engine_runs: Final = sa.Table(
    "engine_runs",
    metadata,
    *_tenant_key(),
    _text("event_id"),
    _text("playbook_id"),
    sa.Column("playbook_version", sa.Integer, nullable=False),
    _text("status"),
    _text("classification", nullable=True),
    sa.Column("confidence", sa.Double, nullable=True),
    _json("alternatives", "[]"),
    _text("language", nullable=True),
    _text("draft", nullable=True),
    _text("response", nullable=True),
    # What the caller was told: the first outcome, whatever a human decides later.
    sa.Column("answer", JSONB, nullable=True),
    _text("doubt", nullable=True),
    _json("plan", "[]"),
    _json("steps", "[]"),
    _json("citations", "[]"),
    _text("model", nullable=True),
    sa.Column("tokens_in", sa.Integer, nullable=False, server_default="0"),
    sa.Column("tokens_out", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cost_micros", sa.BigInteger, nullable=False, server_default="0"),
    _json("timings", "{}"),
    sa.Column("duration_ms", sa.Integer, nullable=True),
    _text("error_code", nullable=True),
    _time("received_at"),
    _time("answered_at", nullable=True),
    _time("finished_at", nullable=True),
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
    *_tenant_key(),
    _text("key"),
    _text("channel"),
    _text("customer_email", nullable=True),
    _json("turns", "[]"),
    _text("summary"),
    _time("created_at"),
    _time("last_message_at"),
    sa.UniqueConstraint("client_id", "key"),
)

engine_messages: Final = sa.Table(
    "engine_messages",
    metadata,
    *_tenant_key(),
    _text("event_id"),
    _text("conversation_id", nullable=True),
    _text("direction"),
    _text("channel", nullable=True),
    # The customer's address as the limit for one customer counts it.
    _text("customer_key", nullable=True),
    _text("author"),
    _text("body"),
    _time("created_at"),
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
    *_tenant_key(),
    _text("run_id"),
    sa.Column("round", sa.Integer, nullable=False),
    _text("status"),
    _text("reason"),
    _text("draft"),
    _json("plan", "[]"),
    _text("claimed_by", nullable=True),
    _text("decided_by", nullable=True),
    _time("decided_at", nullable=True),
    _text("decision", nullable=True),
    _text("edited_text", nullable=True),
    _time("expires_at"),
    _time("created_at"),
    _time("taken_up_at", nullable=True),
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
    *_tenant_key(),
    _text("run_id"),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    _text("action"),
    _text("state"),
    _text("detail"),
    _time("planned_at"),
    _time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "step", "round"),
    sa.ForeignKeyConstraint(["client_id", "run_id"], ["engine_runs.client_id", "engine_runs.id"]),
    sa.CheckConstraint("state IN ('planned', 'done', 'failed', 'unknown')", name="state"),
)

response_templates: Final = sa.Table(
    "response_templates",
    metadata,
    *_tenant_key(),
    _text("name"),
    _text("category"),
    _text("language"),
    _text("body"),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
    _time("created_at"),
    sa.CheckConstraint("language IN ('fr', 'en')", name="language"),
)

_SEARCH: Final = """to_tsvector(
    CASE language WHEN 'fr' THEN 'french'::regconfig ELSE 'english'::regconfig END, search_text)"""

knowledge_entries: Final = sa.Table(
    "knowledge_entries",
    metadata,
    *_tenant_key(),
    _text("title"),
    _text("body"),
    _text("language"),
    # Title and body without accents: customers rarely type them, and the stemmers need them equal.
    _text("search_text"),
    sa.Column("search", TSVECTOR, sa.Computed(_SEARCH, persisted=True), nullable=False),
    _time("created_at"),
    sa.CheckConstraint("language IN ('fr', 'en')", name="language"),
    sa.Index(None, "search", postgresql_using="gin"),
)

# What went wrong on our side, for operators without an error tracker. No customer's words.
error_reports: Final = sa.Table(
    "error_reports",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _text("request_id", nullable=True),
    _text("client_id", nullable=True),
    _text("event_id", nullable=True),
    _text("place"),
    _text("code"),
    _json("exception", "[]"),
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
