"""The tables of outgoing webhooks: the outbox, the subscriptions and the deliveries."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, points_to, tenant_key, text, time

# Events, each written in the transaction of the change that it reports. `dedup_key` prevents
# repeated reports. `body` is signed and sent byte for byte, and cleared once it can no longer be
# replayed.
outbox: Final = sa.Table(
    "outbox",
    metadata,
    *tenant_key(),
    text("event"),
    text("dedup_key"),
    sa.Column("body", sa.LargeBinary, nullable=True),
    time("created_at"),
    sa.UniqueConstraint("client_id", "event", "dedup_key"),
    sa.Index(None, "client_id", "created_at"),
    sa.Index("ix_outbox_with_body", "created_at", postgresql_where=sa.text("body IS NOT NULL")),
)

# The number of events sent for a ticket, by type. `ticket_key`: digest of the ticket id.
ticket_events: Final = sa.Table(
    "ticket_events",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("event", sa.Text, primary_key=True),
    sa.Column("ticket_key", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),
    time("last_at"),
    sa.CheckConstraint("number > 0", name="number"),
    sa.Index(None, "client_id", "last_at"),
)

webhook_subscriptions: Final = sa.Table(
    "webhook_subscriptions",
    metadata,
    *tenant_key(),
    text("label"),
    text("url"),
    json("events", "[]"),
    text("retry_policy"),
    # Whether only the first event of each type is sent for each ticket.
    sa.Column("once_per_ticket", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
    # The number of consecutive failed deliveries.
    sa.Column("failure_count", sa.Integer, nullable=False, server_default="0"),
    time("disabled_at", nullable=True),
    text("disabled_reason", nullable=True),
    text("secret_sealed"),
    # The previous secret. Until `previous_until`, deliveries are also signed with it.
    text("previous_sealed", nullable=True),
    time("previous_until", nullable=True),
    time("created_at"),
    sa.CheckConstraint("char_length(label) BETWEEN 1 AND 100", name="label"),
    sa.CheckConstraint("retry_policy IN ('none', 'standard')", name="retry_policy"),
    sa.CheckConstraint("failure_count >= 0", name="failure_count"),
    sa.CheckConstraint("disabled_reason IN ('failures', 'gone', 'manual')", name="disabled_reason"),
    sa.CheckConstraint(
        "is_active = (disabled_at IS NULL) AND is_active = (disabled_reason IS NULL)",
        name="disabled",
    ),
    sa.CheckConstraint(
        "(previous_sealed IS NULL) = (previous_until IS NULL)", name="previous_until"
    ),
    # This index serves lookups by webhook id without a client id.
    sa.Index(None, "id"),
)

# One row for each event and subscriber, for each replay and for each test. `event_id` is the same
# for all replays, and the `event_id` of a test is not in the outbox. `attempt` counts ended
# attempts. The next is due at `next_attempt_at`.
webhook_deliveries: Final = sa.Table(
    "webhook_deliveries",
    metadata,
    *tenant_key(),
    text("webhook_id"),
    text("event"),
    text("event_id"),
    # The run that caused the delivery. This run's workflow sends the delivery.
    text("run_id", nullable=True),
    text("trigger"),
    text("replay_of", nullable=True),
    text("url"),
    text("status"),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    time("next_attempt_at", nullable=True),
    text("failure_kind", nullable=True),
    text("error", nullable=True),
    sa.Column("response_status", sa.Integer, nullable=True),
    text("response_body", nullable=True),
    text("remote_ip", nullable=True),
    json("request_headers", "{}"),
    sa.Column("request_body", sa.LargeBinary, nullable=False),
    sa.Column("duration_ms", sa.Integer, nullable=True),
    sa.Column("dns_ms", sa.Integer, nullable=True),
    sa.Column("connect_ms", sa.Integer, nullable=True),
    sa.Column("first_byte_ms", sa.Integer, nullable=True),
    sa.Column("failure_count_after", sa.Integer, nullable=True),
    sa.Column("disabled_webhook", sa.Boolean, nullable=False, server_default=sa.false()),
    time("created_at"),
    # The time of the latest attempt.
    time("sent_at", nullable=True),
    time("finished_at", nullable=True),
    points_to("webhook_subscriptions", "webhook_id", ondelete="CASCADE"),
    sa.CheckConstraint("trigger IN ('event', 'replay', 'test')", name="trigger"),
    sa.CheckConstraint("status IN ('pending', 'success', 'failed', 'skipped')", name="status"),
    sa.CheckConstraint(
        "failure_kind IN ('http_3xx', 'http_4xx', 'http_5xx', 'timeout', 'dns', 'tls', 'connect', "
        "'blocked_address', 'too_large', 'protocol')",
        name="failure_kind",
    ),
    sa.CheckConstraint("(status = 'pending') = (finished_at IS NULL)", name="finished_at"),
    # ULIDs increase over time, so the index also has the sort order of the list.
    sa.Index(None, "client_id", "webhook_id", "id"),
    # The statement that ends a delivery uses this index to read the webhook's stored deliveries,
    # except pending ones.
    sa.Index(
        "ix_webhook_deliveries_ended",
        "client_id",
        "webhook_id",
        "finished_at",
        "id",
        postgresql_where=sa.text("status <> 'pending'"),
    ),
    sa.Index(
        "ix_webhook_deliveries_run",
        "client_id",
        "run_id",
        postgresql_where=sa.text("status = 'pending' AND run_id IS NOT NULL"),
    ),
    # An erasure uses this index to find the deliveries that concern the customer.
    sa.Index(None, "client_id", "event_id"),
    # The sweeper uses this index to find overdue deliveries.
    sa.Index(
        "ix_webhook_deliveries_pending",
        "created_at",
        "id",
        postgresql_where=sa.text("status = 'pending'"),
    ),
)

# Events that a subscriber has missed, because a delivery failed or was skipped, or was not created.
# A later successful delivery removes the row.
webhook_misses: Final = sa.Table(
    "webhook_misses",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("webhook_id", sa.Text, primary_key=True),
    sa.Column("event_id", sa.Text, primary_key=True),
    # When the missed event occurred.
    time("created_at"),
    points_to("webhook_subscriptions", "webhook_id", ondelete="CASCADE"),
    points_to("outbox", "event_id"),
    sa.Index(None, "client_id", "webhook_id", "created_at"),
    sa.Index(None, "created_at"),
)
