"""The tables of what clients used and paid."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import metadata, points_to, tenant_key, text, time

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
    points_to("engine_events", "event_id"),
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
