"""add inbound webhooks

Adds endpoints for merchants' platforms, received webhooks and messages, facts about orders,
attachments, and the polling cursor of each platform.

Revision: 7b1f9d04c2a6
Follows: e19b3c70a4d8
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "7b1f9d04c2a6"
down_revision = "e19b3c70a4d8"
branch_labels = None
depends_on = None

_TABLES = (
    "inbound_endpoints",
    "inbound_webhooks",
    "inbound_refusals",
    "inbound_messages",
    "order_facts",
    "helpdesk_pauses",
    "attachments",
    "attachment_chunks",
    "data_requests",
    "poll_cursors",
)

# This is a function, like active_key, because no row may be read before the client is known.
# Secrets are returned encrypted. The previous secret is returned only while it is valid. The
# endpoint of a connection that ended at or after `ended_since` still accepts compliance requests. A
# client that is being erased accepts nothing.
_ENDPOINT = """
CREATE FUNCTION inbound_endpoint(presented bytea, at timestamptz, ended_since timestamptz)
RETURNS TABLE (client_id text, integration_id text, provider text, sealed_secret text,
               sealed_previous_secret text, is_live boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT endpoint.client_id, endpoint.integration_id, integration.provider,
           endpoint.sealed_secret,
           CASE WHEN endpoint.previous_until > at THEN endpoint.sealed_previous_secret END,
           integration.status <> 'disconnected'
    FROM public.inbound_endpoints AS endpoint
    JOIN public.integrations AS integration
      ON integration.client_id = endpoint.client_id AND integration.id = endpoint.integration_id
    JOIN public.clients AS client
      ON client.id = endpoint.client_id AND client.closed_at IS NULL
    WHERE (endpoint.token_digest = presented
           OR (endpoint.previous_token_digest = presented AND endpoint.previous_until > at))
      AND (integration.status <> 'disconnected' OR integration.disconnected_at >= ended_since)
    LIMIT 1
$$
"""
# Return only accounts with which the service's credentials have authenticated, because anyone can
# state the name of an account.
_ACCOUNT = """
CREATE FUNCTION integrations_of_account(platform text, account text, ended_since timestamptz)
RETURNS TABLE (client_id text, integration_id text, is_live boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT integration.client_id, integration.id, integration.status <> 'disconnected'
    FROM public.integrations AS integration
    JOIN public.clients AS client
      ON client.id = integration.client_id AND client.closed_at IS NULL
    WHERE integration.provider = platform AND integration.proved_account = account
      AND (integration.status <> 'disconnected' OR integration.disconnected_at >= ended_since)
$$
"""


def _text(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer(), server_default=sa.text("0"), nullable=False)


def _json(name: str, default: str) -> "sa.Column[object]":
    usual = sa.text(f"'{default}'::jsonb")
    return sa.Column(name, postgresql.JSONB(), server_default=usual, nullable=False)


def _digest(name: str, *, nullable: bool = False) -> "sa.Column[bytes]":
    return sa.Column(name, sa.LargeBinary(), nullable=nullable)


def _of_client(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["client_id"], ["clients.id"], name=op.f(f"fk_{table}_client_id")
    )


def _points_to(
    table: str, other: str, column: str, ondelete: str | None = None
) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["client_id", column],
        [f"{other}.client_id", f"{other}.id"],
        name=op.f(f"fk_{table}_client_id_{column}"),
        ondelete=ondelete,
    )


def upgrade() -> None:
    # No version of the service has ever written to this table.
    tenancy.unprotect("inbound_events")
    op.drop_table("inbound_events")
    op.add_column("integrations", _text("proved_account", nullable=True))
    op.add_column("action_ledger", _text("ticket_id", nullable=True))
    _make_hub()
    _make_orders()
    _make_files()
    _make_duties()
    for table in _TABLES:
        tenancy.protect(table)
    for made in (_ENDPOINT, _ACCOUNT):
        op.execute(made)
    for function in _FUNCTIONS:
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {tenancy.APP}, {tenancy.SERVICE}")
    # These functions run as their owner, like active_key. Row-level security applies to the
    # migrating role but not to this owner.
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    for function in _FUNCTIONS:
        op.execute(f"ALTER FUNCTION {function} OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


_FUNCTIONS = (
    "inbound_endpoint(bytea, timestamptz, timestamptz)",
    "integrations_of_account(text, text, timestamptz)",
)


def _make_hub() -> None:
    op.create_table(
        "inbound_endpoints",
        _text("client_id"),
        _text("integration_id"),
        _digest("token_digest"),
        _digest("previous_token_digest", nullable=True),
        _text("sealed_secret", nullable=True),
        _text("sealed_previous_secret", nullable=True),
        _time("previous_until", nullable=True),
        sa.Column("mapping", postgresql.JSONB(), nullable=True),
        _time("opened_at"),
        _time("rotated_at", nullable=True),
        _of_client("inbound_endpoints"),
        _points_to("inbound_endpoints", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint("client_id", "integration_id", name=op.f("pk_inbound_endpoints")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_inbound_endpoints_token_digest")),
    )
    op.create_index(
        op.f("ix_inbound_endpoints_previous_token_digest"),
        "inbound_endpoints",
        ["previous_token_digest"],
    )
    op.create_table(
        "inbound_webhooks",
        _text("client_id"),
        _text("id"),
        _text("integration_id"),
        _text("provider"),
        _text("dedup_key"),
        _digest("body_digest"),
        _text("topic"),
        _text("kind"),
        _json("headers", "{}"),
        _digest("body", nullable=True),
        _text("state"),
        _text("waits_for", nullable=True),
        _time("not_before", nullable=True),
        _text("customer_key", nullable=True),
        _text("outcome", nullable=True),
        _text("reason", nullable=True),
        _text("event_id", nullable=True),
        _text("reference", nullable=True),
        _count("duplicates"),
        _count("conflicts"),
        _time("created_at"),
        _time("finished_at", nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'working', 'waiting', 'done', 'failed')",
            name=op.f("ck_inbound_webhooks_state"),
        ),
        sa.CheckConstraint(
            "kind IN ('ticket', 'fact', 'duty', 'ignored')", name=op.f("ck_inbound_webhooks_kind")
        ),
        _of_client("inbound_webhooks"),
        _points_to("inbound_webhooks", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_inbound_webhooks")),
    )
    op.create_index(
        "ux_inbound_webhooks_delivery",
        "inbound_webhooks",
        ["client_id", "provider", "integration_id", "dedup_key"],
        unique=True,
    )
    op.create_index(
        "ix_inbound_webhooks_unfinished",
        "inbound_webhooks",
        ["client_id", "kind", "state", "id"],
        postgresql_where=sa.text("state NOT IN ('done', 'failed')"),
    )
    op.create_index(op.f("ix_inbound_webhooks_created_at"), "inbound_webhooks", ["created_at"])
    op.create_table(
        "inbound_refusals",
        _text("client_id"),
        _text("integration_id"),
        _text("reason"),
        _time("hour"),
        _count("count"),
        _time("created_at"),
        _time("last_at"),
        _of_client("inbound_refusals"),
        _points_to("inbound_refusals", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint(
            "client_id", "integration_id", "reason", "hour", name=op.f("pk_inbound_refusals")
        ),
    )
    op.create_index(op.f("ix_inbound_refusals_created_at"), "inbound_refusals", ["created_at"])
    op.create_table(
        "inbound_messages",
        _text("client_id"),
        _text("integration_id"),
        _text("message_key"),
        _text("webhook_id"),
        _time("created_at"),
        _of_client("inbound_messages"),
        _points_to("inbound_messages", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint(
            "client_id", "integration_id", "message_key", name=op.f("pk_inbound_messages")
        ),
    )
    op.create_index(op.f("ix_inbound_messages_created_at"), "inbound_messages", ["created_at"])


def _make_orders() -> None:
    op.create_table(
        "order_facts",
        _text("client_id"),
        _text("integration_id"),
        _text("order_id"),
        _text("number", nullable=True),
        _text("customer_key", nullable=True),
        _json("facts", "{}"),
        _time("version"),
        _time("updated_at"),
        _of_client("order_facts"),
        _points_to("order_facts", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint(
            "client_id", "integration_id", "order_id", name=op.f("pk_order_facts")
        ),
    )
    op.create_index("ix_order_facts_number", "order_facts", ["client_id", "number"])
    op.create_index("ix_order_facts_customer", "order_facts", ["client_id", "customer_key"])
    op.create_table(
        "helpdesk_pauses",
        _text("client_id"),
        _text("integration_id"),
        _text("ticket_id"),
        _text("message_id"),
        _time("paused_at"),
        _time("until"),
        _of_client("helpdesk_pauses"),
        _points_to("helpdesk_pauses", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint(
            "client_id", "integration_id", "ticket_id", name=op.f("pk_helpdesk_pauses")
        ),
    )
    op.create_table(
        "poll_cursors",
        _text("client_id"),
        _text("integration_id"),
        _json("position", "{}"),
        _time("polled_at"),
        _text("error_code", nullable=True),
        _count("failures"),
        _of_client("poll_cursors"),
        _points_to("poll_cursors", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint("client_id", "integration_id", name=op.f("pk_poll_cursors")),
    )


def _make_files() -> None:
    op.create_table(
        "attachments",
        _text("client_id"),
        _text("id"),
        _text("event_id"),
        sa.Column("position", sa.Integer(), nullable=False),
        _text("name"),
        _text("claimed_type"),
        _text("media_type", nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        _digest("digest"),
        _text("state"),
        _text("reason", nullable=True),
        _time("created_at"),
        sa.CheckConstraint("state IN ('stored', 'refused')", name=op.f("ck_attachments_state")),
        _of_client("attachments"),
        _points_to("attachments", "engine_events", "event_id"),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_attachments")),
    )
    op.create_index("ix_attachments_event", "attachments", ["client_id", "event_id", "position"])
    op.create_table(
        "attachment_chunks",
        _text("client_id"),
        _text("attachment_id"),
        sa.Column("seq", sa.Integer(), nullable=False),
        _digest("data"),
        _of_client("attachment_chunks"),
        _points_to("attachment_chunks", "attachments", "attachment_id", "CASCADE"),
        sa.PrimaryKeyConstraint(
            "client_id", "attachment_id", "seq", name=op.f("pk_attachment_chunks")
        ),
    )


def _make_duties() -> None:
    op.create_table(
        "data_requests",
        _text("client_id"),
        _text("id"),
        _text("integration_id"),
        _text("customer_email", nullable=True),
        _json("order_ids", "[]"),
        _time("created_at"),
        _time("due_at"),
        _time("told_at", nullable=True),
        _text("fulfilled_by", nullable=True),
        _time("fulfilled_at", nullable=True),
        _of_client("data_requests"),
        _points_to("data_requests", "integrations", "integration_id"),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_data_requests")),
    )
    op.create_index(
        "ix_data_requests_untold",
        "data_requests",
        ["id"],
        postgresql_where=sa.text("told_at IS NULL"),
    )


def downgrade() -> None:
    for function in _FUNCTIONS:
        op.execute(f"DROP FUNCTION {function}")
    for table in reversed(_TABLES):
        tenancy.unprotect(table)
        op.drop_table(table)
    op.drop_column("action_ledger", "ticket_id")
    op.drop_column("integrations", "proved_account")
    op.create_table(
        "inbound_events",
        _text("client_id"),
        _text("provider"),
        _text("event_id"),
        _time("created_at"),
        _of_client("inbound_events"),
        sa.PrimaryKeyConstraint(
            "client_id", "provider", "event_id", name=op.f("pk_inbound_events")
        ),
    )
    op.create_index(op.f("ix_inbound_events_created_at"), "inbound_events", ["created_at"])
    tenancy.protect("inbound_events")
