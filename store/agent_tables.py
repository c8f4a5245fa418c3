"""The tables of what the agent does: reviews, effects, sentiment, costs."""

from typing import Final

import sqlalchemy as sa

from store.schema import json, metadata, tenant_key, text, time

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
    time("claimed_at", nullable=True),
    # Above a limit two people must agree: the first, while the second is awaited.
    sa.Column("needs_second", sa.Boolean, nullable=False, server_default=sa.false()),
    text("first_approved_by", nullable=True),
    time("first_approved_at", nullable=True),
    # The largest sum that its plan would move.
    sa.Column("amount", sa.BigInteger, nullable=True),
    text("currency", nullable=True),
    text("decided_by", nullable=True),
    time("decided_at", nullable=True),
    text("decision", nullable=True),
    text("edited_text", nullable=True),
    # Why it was rejected, for colleagues.
    text("note", nullable=True),
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
    # Whose it is, when only its id is given.
    sa.Index(None, "id"),
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
    text("integration_id", nullable=True),
    text("order_key", nullable=True),
    text("customer_key", nullable=True),
    sa.Column("amount", sa.BigInteger, nullable=True),
    text("currency", nullable=True),
    # The other side's name for what was done.
    text("reference", nullable=True),
    time("planned_at"),
    time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "step", "round"),
    sa.ForeignKeyConstraint(["client_id", "run_id"], ["engine_runs.client_id", "engine_runs.id"]),
    sa.CheckConstraint("state IN ('planned', 'done', 'failed', 'unknown')", name="state"),
    # What was given back already, to a customer and in a day, and what was done to an order.
    sa.Index(
        "ix_action_ledger_money",
        "client_id",
        "planned_at",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    ),
    sa.Index(
        "ix_action_ledger_order",
        "client_id",
        "order_key",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    ),
)

# The customer's tone, message by message.
sentiment_logs: Final = sa.Table(
    "sentiment_logs",
    metadata,
    *tenant_key(),
    text("conversation_id"),
    text("event_id"),
    sa.Column("score", sa.Double, nullable=False),
    sa.Column("is_critical", sa.Boolean, nullable=False),
    time("created_at"),
    sa.UniqueConstraint("client_id", "event_id"),
    sa.ForeignKeyConstraint(
        ["client_id", "conversation_id"], ["ai_conversations.client_id", "ai_conversations.id"]
    ),
    sa.ForeignKeyConstraint(
        ["client_id", "event_id"], ["engine_events.client_id", "engine_events.id"]
    ),
    sa.Index(None, "client_id", "conversation_id", "created_at"),
    sa.CheckConstraint("score BETWEEN -1 AND 1", name="score"),
)

# What language models cost a client in a month, in millionths of a US dollar.
brain_costs: Final = sa.Table(
    "brain_costs",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("calls", sa.BigInteger, nullable=False),
    sa.Column("tokens_in", sa.BigInteger, nullable=False),
    sa.Column("tokens_out", sa.BigInteger, nullable=False),
    sa.Column("cost_micros", sa.BigInteger, nullable=False),
    sa.CheckConstraint(r"period ~ '^\d{4}-(0[1-9]|1[0-2])$'", name="period"),
)
