"""The tables of inbound webhooks, polls and compliance requests."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from store.core.schema import json, metadata, points_to, tenant_key, text, time


def _client() -> "sa.Column[str]":
    return sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True)


def _key(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, primary_key=True)


def _digest(name: str, *, nullable: bool = False) -> "sa.Column[bytes]":
    return sa.Column(name, sa.LargeBinary, nullable=nullable)


def _count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer, nullable=False, server_default=sa.text("0"))


# The webhook endpoint of an integration: the token in the URL path, and the secret with which the
# platform signs its requests. Previous values are valid until `previous_until`.
inbound_endpoints: Final = sa.Table(
    "inbound_endpoints",
    metadata,
    _client(),
    _key("integration_id"),
    sa.Column("token_digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("previous_token_digest", sa.LargeBinary, nullable=True, index=True),
    text("sealed_secret", nullable=True),
    text("sealed_previous_secret", nullable=True),
    time("previous_until", nullable=True),
    # A mapping of event fields to JMESPath expressions. Only generic endpoints use it.
    sa.Column("mapping", JSONB, nullable=True),
    # Whether the holder of the secret is allowed to vouch for a customer's address.
    sa.Column("vouches", sa.Boolean, nullable=False, server_default=sa.true()),
    time("opened_at"),
    time("rotated_at", nullable=True),
    points_to("integrations", "integration_id"),
)

# Every accepted webhook. A row is kept for as long as the platform may send the webhook again.
inbound_webhooks: Final = sa.Table(
    "inbound_webhooks",
    metadata,
    *tenant_key(),
    text("integration_id"),
    text("provider"),
    text("dedup_key"),
    _digest("body_digest"),
    text("topic"),
    text("kind"),
    # The headers that the signature covers or that the parser needs. Headers with credentials are
    # never stored.
    json("headers", "{}"),
    # Whether a secret verified the request, and whether the endpoint was trusted at that time to
    # vouch for customers' addresses. A secret that becomes trusted later proves nothing about this
    # request.
    sa.Column("is_signed", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("vouches", sa.Boolean, nullable=False, server_default=sa.false()),
    # The received body. Null after the body was erased or dropped.
    _digest("body", nullable=True),
    # The original size of the body in bytes, if the body was truncated to the part that is
    # displayed.
    sa.Column("cut_from", sa.Integer, nullable=True),
    text("state"),
    text("waits_for", nullable=True),
    time("not_before", nullable=True),
    text("customer_key", nullable=True),
    # True for a waiting ticket whose author's email address is unverified.
    sa.Column("is_claim", sa.Boolean, nullable=False, server_default=sa.false()),
    text("outcome", nullable=True),
    text("reason", nullable=True),
    text("event_id", nullable=True),
    text("reference", nullable=True),
    _count("duplicates"),
    _count("conflicts"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    time("finished_at", nullable=True),
    points_to("integrations", "integration_id"),
    sa.Index(
        "ux_inbound_webhooks_delivery",
        "client_id",
        "provider",
        "integration_id",
        "dedup_key",
        unique=True,
    ),
    sa.Index(
        "ix_inbound_webhooks_unfinished",
        "client_id",
        "kind",
        "state",
        "id",
        postgresql_where=sa.text("state NOT IN ('done', 'failed')"),
    ),
    sa.Index(
        "ix_inbound_webhooks_large",
        "client_id",
        postgresql_where=sa.text("octet_length(body) > 65536 AND state <> 'done'"),
    ),
    # This index serves the counts for the daily limits.
    sa.Index(None, "client_id", "kind", "id"),
    sa.CheckConstraint("state IN ('queued', 'working', 'waiting', 'done', 'failed')", name="state"),
    sa.CheckConstraint("kind IN ('ticket', 'fact', 'duty', 'ignored')", name="kind"),
    # This index serves lookups by webhook id without a client id.
    sa.Index(None, "id"),
)

# Hourly counts of rejected requests to a client's endpoint. Because only counts are stored, a flood
# cannot fill the table.
inbound_refusals: Final = sa.Table(
    "inbound_refusals",
    metadata,
    _client(),
    _key("integration_id"),
    _key("reason"),
    sa.Column("hour", sa.DateTime(timezone=True), primary_key=True),
    _count("count"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    time("last_at"),
    points_to("integrations", "integration_id"),
)

# Platform messages claimed by a webhook or a poll.
inbound_messages: Final = sa.Table(
    "inbound_messages",
    metadata,
    _client(),
    _key("integration_id"),
    _key("message_key"),
    text("webhook_id"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    points_to("integrations", "integration_id"),
)

# Data access requests that customers sent to a shop. The merchant must respond by `due_at`.
data_requests: Final = sa.Table(
    "data_requests",
    metadata,
    *tenant_key(),
    # The connection whose shop forwarded the request. Null if a member opened it.
    text("integration_id", nullable=True),
    text("customer_email", nullable=True),
    json("order_ids", "[]"),
    time("created_at"),
    time("due_at"),
    # When the client's owner was notified of the request by email.
    time("told_at", nullable=True),
    text("fulfilled_by", nullable=True),
    time("fulfilled_at", nullable=True),
    sa.Index("ix_data_requests_untold", "id", postgresql_where=sa.text("told_at IS NULL")),
    points_to("integrations", "integration_id"),
    # This index serves lookups by request id without a client id.
    sa.Index(None, "id"),
)

# The poll cursor for a platform. Polling recovers data from lost webhooks.
poll_cursors: Final = sa.Table(
    "poll_cursors",
    metadata,
    _client(),
    _key("integration_id"),
    json("position", "{}"),
    time("polled_at"),
    text("error_code", nullable=True),
    _count("failures"),
    points_to("integrations", "integration_id"),
)
