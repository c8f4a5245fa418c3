"""add the chat widget

Adds the widget settings, visitors' sessions, the codes that verify visitors' addresses, and the
messages of each session in order. Also adds the sender for a client's mail.

Revision: c4e8a7d15f02
Follows: 6d2f4b8a9c31
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "c4e8a7d15f02"
down_revision = "6d2f4b8a9c31"
branch_labels = None
depends_on = None

_TABLES = ("widgets", "widget_sessions", "widget_codes", "mail_senders")

# This is a function, like active_key, because no row may be read before the client is known.
_CLIENT_OF_WIDGET = """
CREATE FUNCTION client_of_widget(presented text, at timestamptz) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT client_id FROM public.client_settings WHERE widget_key = presented
    UNION ALL
    SELECT client_id FROM public.widgets
    WHERE previous_key = presented AND previous_key_until > at
    LIMIT 1
$$
"""


def upgrade() -> None:
    op.create_table(
        "widgets",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column(
            "allowed_origins",
            postgresql.JSONB(),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("hourly_messages", sa.Integer(), nullable=True),
        sa.Column("monthly_tickets", sa.Integer(), nullable=True),
        sa.Column("accepts_api_keys", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("api_key_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sealed_secret", sa.Text(), nullable=True),
        sa.Column("previous_sealed_secret", sa.Text(), nullable=True),
        sa.Column("previous_secret_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("previous_key", sa.Text(), nullable=True),
        sa.Column("previous_key_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("hourly_messages > 0", name=op.f("ck_widgets_hourly_messages")),
        sa.CheckConstraint("monthly_tickets > 0", name=op.f("ck_widgets_monthly_tickets")),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_widgets_client_id")),
        sa.PrimaryKeyConstraint("client_id", name=op.f("pk_widgets")),
        sa.UniqueConstraint("previous_key", name=op.f("uq_widgets_previous_key")),
    )
    op.create_table(
        "widget_sessions",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("verified_email", sa.Text(), nullable=True),
        sa.Column("verified_by", sa.Text(), nullable=True),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("last_number", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("seen_number", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("mailed_number", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "verified_by IN ('signature', 'code')", name=op.f("ck_widget_sessions_verified_by")
        ),
        sa.CheckConstraint(
            "(verified_email IS NULL) = (verified_by IS NULL) AND (verified_email IS NULL) = (verified_at IS NULL)",
            name=op.f("ck_widget_sessions_verified"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_widget_sessions_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_widget_sessions")),
    )
    op.create_index(op.f("ix_widget_sessions_used_at"), "widget_sessions", ["used_at"])
    op.create_table(
        "widget_codes",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_code", sa.Text(), nullable=True),
        sa.Column("tries_left", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_widget_codes_client_id")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "session_id"],
            ["widget_sessions.client_id", "widget_sessions.id"],
            name=op.f("fk_widget_codes_client_id_session_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_widget_codes")),
    )
    op.create_index(
        op.f("ix_widget_codes_client_id_email_created_at"),
        "widget_codes",
        ["client_id", "email", "created_at"],
    )
    op.create_index(
        op.f("ix_widget_codes_client_id_session_id"), "widget_codes", ["client_id", "session_id"]
    )
    op.create_index(op.f("ix_widget_codes_created_at"), "widget_codes", ["created_at"])
    op.create_table(
        "mail_senders",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("signature", sa.Text(), server_default="", nullable=False),
        sa.Column("smtp_host", sa.Text(), nullable=True),
        sa.Column("smtp_port", sa.Integer(), nullable=True),
        sa.Column("smtp_security", sa.Text(), nullable=True),
        sa.Column("smtp_username", sa.Text(), nullable=True),
        sa.Column("sealed_smtp_password", sa.Text(), nullable=True),
        sa.Column("code_id", sa.Text(), nullable=True),
        sa.Column("code_digest", sa.LargeBinary(), nullable=True),
        sa.Column("sealed_code", sa.Text(), nullable=True),
        sa.Column("code_tries_left", sa.SmallInteger(), nullable=True),
        sa.Column("code_language", sa.Text(), nullable=True),
        sa.Column("code_created_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("codes_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("codes_made", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("last_error_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "smtp_security IN ('tls', 'starttls')", name=op.f("ck_mail_senders_smtp_security")
        ),
        sa.CheckConstraint(
            "(smtp_host IS NULL) = (smtp_port IS NULL) AND (smtp_host IS NULL) = (smtp_security IS NULL)",
            name=op.f("ck_mail_senders_smtp"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_mail_senders_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", name=op.f("pk_mail_senders")),
    )
    for table in _TABLES:
        tenancy.protect(table)
    op.add_column("engine_messages", sa.Column("widget_session_id", sa.Text(), nullable=True))
    op.add_column("engine_messages", sa.Column("widget_number", sa.Integer(), nullable=True))
    op.execute(_CLIENT_OF_WIDGET)
    op.execute("REVOKE ALL ON FUNCTION client_of_widget FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION client_of_widget TO {tenancy.APP}")
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION client_of_widget OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def downgrade() -> None:
    op.execute("DROP FUNCTION client_of_widget")
    op.drop_column("engine_messages", "widget_number")
    op.drop_column("engine_messages", "widget_session_id")
    for table in reversed(_TABLES):
        tenancy.unprotect(table)
        op.drop_table(table)
