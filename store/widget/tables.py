"""The tables of the chat widget: settings, visitors' sessions, and codes that verify addresses."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, points_to, tenant_key, text, time

# One row per client that has set up the widget. The widget key is in client_settings.
widgets: Final = sa.Table(
    "widgets",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    # The origins of the pages that may embed the widget, for example https://shop.example.
    json("allowed_origins", "[]"),
    # The widget's share of the client's hourly message limit and of its monthly tickets. If null,
    # the share is half.
    sa.Column("hourly_messages", sa.Integer, nullable=True),
    sa.Column("monthly_tickets", sa.Integer, nullable=True),
    sa.Column("accepts_api_keys", sa.Boolean, nullable=False, server_default=sa.true()),
    # The time of the last chat request with an API key in its query string. The client is warned of
    # such requests.
    time("api_key_used_at", nullable=True),
    # The secret with which the merchant's site signs its users' identities.
    text("sealed_secret", nullable=True),
    text("previous_sealed_secret", nullable=True),
    time("previous_secret_until", nullable=True),
    # Whether the secret is allowed to sign user identities. A previous secret stays valid until it
    # expires.
    sa.Column("vouches", sa.Boolean, nullable=False, server_default=sa.true()),
    time("secret_since", nullable=True),
    text("previous_key", nullable=True),
    time("previous_key_until", nullable=True),
    time("updated_at"),
    sa.UniqueConstraint("previous_key"),
    sa.CheckConstraint("hourly_messages > 0", name="hourly_messages"),
    sa.CheckConstraint("monthly_tickets > 0", name="monthly_tickets"),
)

# One row per visitor's browser, created together with the visitor's first message.
widget_sessions: Final = sa.Table(
    "widget_sessions",
    metadata,
    *tenant_key(),
    text("verified_email", nullable=True),
    text("verified_by", nullable=True),
    time("verified_at", nullable=True),
    text("language"),
    # Messages are numbered from 1 in commit order. The session's row is therefore locked for each
    # message.
    sa.Column("last_number", sa.Integer, nullable=False, server_default="0"),
    # The number of the last message shown to the visitor, and of the last message that was emailed
    # instead.
    sa.Column("seen_number", sa.Integer, nullable=False, server_default="0"),
    sa.Column("mailed_number", sa.Integer, nullable=False, server_default="0"),
    time("created_at"),
    sa.Column("used_at", sa.DateTime(timezone=True), nullable=False, index=True),
    sa.CheckConstraint("verified_by IN ('signature', 'code')", name="verified_by"),
    sa.CheckConstraint(
        "(verified_email IS NULL) = (verified_by IS NULL)"
        " AND (verified_email IS NULL) = (verified_at IS NULL)",
        name="verified",
    ),
)

widget_codes: Final = sa.Table(
    "widget_codes",
    metadata,
    *tenant_key(),
    text("session_id"),
    text("email"),
    # The IP network from which the code was requested.
    text("network"),
    # The language of the email that contains the code. Null for older codes.
    text("language", nullable=True),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    # The sealed code, kept until its mail is sent.
    text("sealed_code", nullable=True),
    # Whether the code is shared. A shared code is valid in every session in which a code for the
    # same address was withheld.
    sa.Column("is_shared", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("tries_left", sa.SmallInteger, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    time("used_at", nullable=True),
    points_to("widget_sessions", "session_id", ondelete="CASCADE"),
    sa.Index(None, "client_id", "email", "created_at"),
    sa.Index(None, "client_id", "session_id"),
)
