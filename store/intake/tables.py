"""The tables of received events, their attachments, and rate limits."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from store.core.schema import json, metadata, points_to, tenant_key, text, time

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
    # Id of the user who typed the message in a signed-in session. NULL if a system sent the
    # message.
    text("author", nullable=True),
    # The API key that sent the event. The column has no foreign key, because keys may be erased
    # before their events.
    text("key_id", nullable=True),
    # The action that the merchant's own system requests, if the caller is trusted to request
    # actions.
    sa.Column("merchant_request", JSONB, nullable=True),
    time("received_at"),
    # The platform whose webhook or poll delivered the event. Null for events from the gateway
    # because gateway callers may set any source.
    text("received_by", nullable=True),
    # When the erasure of the event's customer started. From then on, no step processes the event.
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
    sa.Index(None, "created_at"),
)

# Short-term rate limits, which all processes share: the times of the requests that still count
# toward a limit. The table is unlogged because a server crash loses at most one minute of counts.
rate_windows: Final = sa.Table(
    "rate_windows",
    metadata,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("hits", ARRAY(sa.DateTime(timezone=True)), nullable=False),
    sa.Column("lapses_at", sa.DateTime(timezone=True), nullable=False, index=True),
    prefixes=["UNLOGGED"],
)

# The attachments of an event, which are images and PDFs. A refused attachment has no chunks. A
# member's attachment for a reply also belongs to an event: that of the customer's message that the
# reply answers.
attachments: Final = sa.Table(
    "attachments",
    metadata,
    *tenant_key(),
    text("event_id"),
    sa.Column("position", sa.Integer, nullable=False),
    text("name"),
    # The media type declared by the sender, and the media type detected from the content.
    text("claimed_type"),
    text("media_type", nullable=True),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    text("state"),
    text("reason", nullable=True),
    time("created_at"),
    # The member who uploaded the file, and the reply that contains it. Both are empty for a
    # customer's attachment. An uploaded file has no reply until the reply is written.
    text("uploaded_by", nullable=True),
    text("reply_id", nullable=True),
    points_to("engine_events", "event_id"),
    points_to("conversation_replies", "reply_id"),
    sa.Index("ix_attachments_event", "client_id", "event_id", "position"),
    sa.Index(
        "ix_attachments_reply",
        "client_id",
        "reply_id",
        postgresql_where=sa.text("reply_id IS NOT NULL"),
    ),
    sa.Index(
        "ix_attachments_unsent",
        "client_id",
        "uploaded_by",
        postgresql_where=sa.text("uploaded_by IS NOT NULL AND reply_id IS NULL"),
    ),
    sa.CheckConstraint("state IN ('stored', 'refused')", name="state"),
    # This index serves lookups by attachment id without a client id.
    sa.Index(None, "id"),
)

attachment_chunks: Final = sa.Table(
    "attachment_chunks",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("attachment_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
    points_to("attachments", "attachment_id", ondelete="CASCADE"),
)
