"""The tables of what is reckoned from a client's records, and of what is remembered of others'."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from store.schema import json, metadata, tenant_key, text, time


def _count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer, nullable=False)


def _measure(name: str) -> "sa.Column[float]":
    """Null where there was nothing to measure."""
    return sa.Column(name, sa.Double, nullable=True)


# Raw inbound events of the first version of the engine. Nothing writes them but an import.
automation_events: Final = sa.Table(
    "automation_events",
    metadata,
    *tenant_key(),
    text("event_type"),
    text("source", nullable=True),
    text("status", nullable=True),
    text("customer_email", nullable=True),
    json("payload", "{}"),
    time("created_at"),
    sa.Index(None, "client_id", "created_at"),
)

# A client's day, UTC; what each column counts: `domain/metrics.py`.
metrics_daily: Final = sa.Table(
    "metrics_daily",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
    _count("events"),
    _count("runs"),
    _count("completed"),
    _count("needs_review"),
    _count("failed"),
    _count("no_playbook"),
    _count("escalated"),
    _count("reviewed"),
    _count("messages_in"),
    _count("messages_out"),
    _count("customers"),
    _measure("latency_p50_ms"),
    _measure("latency_p95_ms"),
    _measure("sentiment_mean"),
    _count("sentiment_count"),
    _measure("resolution_rate"),
    _measure("automation_rate"),
    _measure("escalation_rate"),
    _measure("review_rate"),
    time("computed_at"),
)

# How likely a customer is to leave, week by week. `week`: its Monday.
churn_predictions: Final = sa.Table(
    "churn_predictions",
    metadata,
    *tenant_key(),
    text("customer_email"),
    sa.Column("week", sa.Date, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
    text("level"),
    json("factors", "[]"),
    time("created_at"),
    sa.UniqueConstraint("client_id", "week", "customer_email"),
    sa.CheckConstraint("score BETWEEN 0 AND 1", name="score"),
    sa.CheckConstraint("level IN ('low', 'medium', 'high')", name="level"),
    sa.Index(None, "client_id", "customer_email"),
)

# Which events of other platforms have been taken, for as long as they may be sent again.
inbound_events: Final = sa.Table(
    "inbound_events",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("provider", sa.Text, primary_key=True),
    sa.Column("event_id", sa.Text, primary_key=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
)

# What was erased, without whose name it was: it outlives the client. `subject_digest`: of the
# customer's address, so that whoever knows it can find the certificate.
erasures: Final = sa.Table(
    "erasures",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("client_id"),
    text("scope"),
    sa.Column("subject_digest", sa.LargeBinary, nullable=True),
    text("requested_by"),
    json("removed", "{}"),
    # Of a client: what it had used and paid when its erasure began.
    sa.Column("standing", JSONB, nullable=True),
    time("started_at"),
    time("finished_at", nullable=True),
    sa.CheckConstraint("scope IN ('tenant', 'customer')", name="scope"),
    sa.CheckConstraint("(scope = 'customer') = (subject_digest IS NOT NULL)", name="subject"),
    sa.Index(None, "client_id"),
)
