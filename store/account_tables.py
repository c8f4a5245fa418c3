"""The tables of accounts: users, clients, their members and keys, what they used and paid."""

from typing import Final

import sqlalchemy as sa

from store.schema import metadata, tenant_key, text, time

users: Final = sa.Table(
    "users",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("email"),
    time("created_at"),
    sa.UniqueConstraint("email"),
)

clients: Final = sa.Table(
    "clients",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("owner_user_id", sa.Text, sa.ForeignKey("users.id"), nullable=False, index=True),
    text("brand_name"),
    text("plan"),
    time("trial_ends_at", nullable=True),
    # A downgrade waits for the end of the month it was asked for in.
    text("next_plan", nullable=True),
    time("next_plan_from", nullable=True),
    sa.Column("credits_balance", sa.BigInteger, nullable=False, server_default="0"),
    # What language models may cost in a month, in millionths of a US dollar; unset: the setting.
    sa.Column("brain_budget_micros", sa.BigInteger, nullable=True),
    time("created_at"),
    # When its erasure began: nothing is let in any more (`store/account_repository.py`).
    time("closed_at", nullable=True),
    sa.CheckConstraint("plan IN ('free', 'starter', 'pro', 'enterprise')", name="plan"),
    sa.CheckConstraint("next_plan IN ('free', 'starter', 'pro', 'enterprise')", name="next_plan"),
    sa.CheckConstraint("(next_plan IS NULL) = (next_plan_from IS NULL)", name="next_plan_from"),
    sa.CheckConstraint("credits_balance >= 0", name="credits"),
    sa.CheckConstraint("brain_budget_micros >= 0", name="brain_budget"),
)

client_users: Final = sa.Table(
    "client_users",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.id"), primary_key=True),
    text("role"),
    time("created_at"),
    sa.CheckConstraint("role IN ('owner', 'admin', 'agent', 'viewer')", name="role"),
    sa.Index(None, "user_id", "created_at"),
)

api_keys: Final = sa.Table(
    "api_keys",
    metadata,
    *tenant_key(),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    text("prefix"),
    text("label"),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
    time("created_at"),
    time("revoked_at", nullable=True),
)

credit_ledger: Final = sa.Table(
    "credit_ledger",
    metadata,
    *tenant_key(),
    sa.Column("amount", sa.BigInteger, nullable=False),
    text("reason"),
    # Of the ticket that a credit paid for.
    text("event_id", nullable=True),
    time("created_at"),
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
    text("period"),
    text("paid_by"),
    time("created_at"),
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
    time("created_at"),
    sa.CheckConstraint(_PERIOD, name="period"),
    sa.CheckConstraint("threshold IN (80, 100)", name="threshold"),
)
