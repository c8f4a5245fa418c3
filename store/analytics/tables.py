"""The tables of daily metrics and churn predictions."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, tenant_key, text, time


def _count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer, nullable=False)


def _later(name: str) -> "sa.Column[int | None]":
    return sa.Column(name, sa.Integer, nullable=True)


def _measure(name: str) -> "sa.Column[float]":
    """Return a column for a measured value. Null means that there was nothing to measure."""
    return sa.Column(name, sa.Double, nullable=True)


# One row per client and UTC day. `domain/analytics/metrics.py` documents the columns.
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
    # The following columns are null in rows written by versions that did not count them.
    _later("asked"),
    _later("handled"),
    _later("resolved"),
    _later("resolved_alone"),
    # The numbers of resolved runs after which the customer wrote again within 7 days, and after
    # which the customer did not. Both are null until the 7 days have passed.
    _later("reopened"),
    _later("durable"),
    # Numbers of escalated runs, by escalation reason.
    json("escalations", "{}"),
    sa.Column("rated", sa.Integer, nullable=False, server_default="0"),
    # The number of ratings of 4 or 5 out of 5.
    sa.Column("satisfied", sa.Integer, nullable=False, server_default="0"),
    _measure("rating_mean"),
    # The cost of language models, in millionths of a US dollar.
    sa.Column("cost_micros", sa.BigInteger, nullable=False, server_default="0"),
    # Runs by latency, in the histogram buckets of `domain/analytics/latencies.py`.
    json("latencies", "{}"),
    # Run counts by category, playbook and channel.
    json("breakdown", "{}"),
    time("computed_at"),
)

# Weekly churn predictions: the probability that a customer leaves. `week`: the date of the week's
# Monday.
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
