"""The tables of connections, mail senders, order facts, ticket pauses and mail counts."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, points_to, tenant_key, text, time

integrations: Final = sa.Table(
    "integrations",
    metadata,
    *tenant_key(),
    # A value of `Provider`, or a provider that only another version of the service supports. There
    # is no check constraint, so a new provider does not need a migration.
    text("provider"),
    text("status"),
    json("settings", "{}"),
    # Credentials, encrypted with SEAL_KEY. They are never logged or exported.
    text("sealed"),
    text("error_code", nullable=True),
    # The account with which the connection has authenticated: a shop's domain, or an account id. It
    # routes installation-wide webhooks. After the connection has ended, it routes only compliance
    # requests.
    text("proved_account", nullable=True),
    # When the platform rejected the credentials that proved the account. Until it accepts them
    # again, only compliance requests are routed.
    time("account_refused_at", nullable=True),
    time("connected_at"),
    time("disconnected_at", nullable=True),
    # A client has at most one active connection per provider, so that it is clear which shop to
    # query.
    sa.Index(
        "ux_integrations_live",
        "client_id",
        "provider",
        unique=True,
        postgresql_where=sa.text("status <> 'disconnected'"),
    ),
    sa.Index(
        "ix_integrations_proved_account",
        "provider",
        "proved_account",
        postgresql_where=sa.text("proved_account IS NOT NULL"),
    ),
    sa.CheckConstraint("status IN ('connected', 'disconnected', 'error')", name="status"),
    # This index serves lookups by connection id without a client id.
    sa.Index(None, "id"),
)

# The sender for a client's mail, verified with an emailed code. Removing the sender clears the
# address, but the row still counts the codes.
mail_senders: Final = sa.Table(
    "mail_senders",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    text("address", nullable=True),
    text("reply_to", nullable=True),
    sa.Column("signature", sa.Text, nullable=False, server_default=""),
    # The client's own mail server. If null, the service's mail server sends the email.
    text("smtp_host", nullable=True),
    sa.Column("smtp_port", sa.Integer, nullable=True),
    text("smtp_security", nullable=True),
    text("smtp_username", nullable=True),
    text("sealed_smtp_password", nullable=True),
    # The code that verifies the address, stored encrypted until it is emailed.
    text("code_id", nullable=True),
    sa.Column("code_digest", sa.LargeBinary, nullable=True),
    text("sealed_code", nullable=True),
    sa.Column("code_tries_left", sa.SmallInteger, nullable=True),
    text("code_language", nullable=True),
    time("code_created_at", nullable=True),
    # The start of the day to which the daily limit on codes applies, and the number of codes sent
    # since then.
    time("codes_since", nullable=True),
    sa.Column("codes_made", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    time("verified_at", nullable=True),
    # The error reported for the last email that a mail server rejected.
    text("last_error", nullable=True),
    time("last_error_at", nullable=True),
    time("updated_at"),
    sa.CheckConstraint("smtp_security IN ('tls', 'starttls')", name="smtp_security"),
    sa.CheckConstraint(
        "(smtp_host IS NULL) = (smtp_port IS NULL)"
        " AND (smtp_host IS NULL) = (smtp_security IS NULL)",
        name="smtp",
    ),
)

# Facts about orders, from webhooks and polls. Only the newest version of each fact is stored.
order_facts: Final = sa.Table(
    "order_facts",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("integration_id", sa.Text, primary_key=True),
    sa.Column("order_id", sa.Text, primary_key=True),
    text("number", nullable=True),
    text("customer_key", nullable=True),
    json("facts", "{}"),
    time("version"),
    time("updated_at"),
    points_to("integrations", "integration_id"),
    sa.Index("ix_order_facts_number", "client_id", "number"),
    sa.Index("ix_order_facts_customer_latest", "client_id", "customer_key", "version"),
)

# Helpdesk tickets that a human agent is answering. The AI agent does not answer these tickets.
helpdesk_pauses: Final = sa.Table(
    "helpdesk_pauses",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("integration_id", sa.Text, primary_key=True),
    sa.Column("ticket_id", sa.Text, primary_key=True),
    text("message_id"),
    time("paused_at"),
    time("until"),
    points_to("integrations", "integration_id"),
)

# Email counts per UTC day: by client, and by address and kind. The address is stored as a keyed
# digest.
mail_counts: Final = sa.Table(
    "mail_counts",
    metadata,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("sent", sa.Integer, nullable=False, server_default="0"),
    # The number of the day's emails that a mail server rejected, plus the bounces and spam
    # complaints reported on that day.
    sa.Column("refused", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
)
