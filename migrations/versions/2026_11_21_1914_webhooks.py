"""add webhooks and their deliveries

Revision: acf49fe5a337
Follows: 3a3622d8a308
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "acf49fe5a337"
down_revision = "3a3622d8a308"
branch_labels = None
depends_on = None

TENANT_TABLES = ("webhook_deliveries", "webhook_misses", "webhook_subscriptions")


def upgrade() -> None:
    op.create_table(
        "webhook_subscriptions",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column(
            "events",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("retry_policy", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("secret_sealed", sa.Text(), nullable=False),
        sa.Column("previous_sealed", sa.Text(), nullable=True),
        sa.Column("previous_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "disabled_reason IN ('failures', 'gone', 'manual')",
            name=op.f("ck_webhook_subscriptions_disabled_reason"),
        ),
        sa.CheckConstraint(
            "retry_policy IN ('none', 'standard')",
            name=op.f("ck_webhook_subscriptions_retry_policy"),
        ),
        sa.CheckConstraint(
            "(previous_sealed IS NULL) = (previous_until IS NULL)",
            name=op.f("ck_webhook_subscriptions_previous_until"),
        ),
        sa.CheckConstraint(
            "char_length(label) BETWEEN 1 AND 100", name=op.f("ck_webhook_subscriptions_label")
        ),
        sa.CheckConstraint(
            "failure_count >= 0", name=op.f("ck_webhook_subscriptions_failure_count")
        ),
        sa.CheckConstraint(
            "is_active = (disabled_at IS NULL) AND is_active = (disabled_reason IS NULL)",
            name=op.f("ck_webhook_subscriptions_disabled"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_webhook_subscriptions_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_webhook_subscriptions")),
    )
    op.create_index(
        op.f("ix_webhook_subscriptions_id"), "webhook_subscriptions", ["id"], unique=False
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("replay_of", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure_kind", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("response_status", sa.Integer(), nullable=True),
        sa.Column("response_body", sa.Text(), nullable=True),
        sa.Column("remote_ip", sa.Text(), nullable=True),
        sa.Column(
            "request_headers",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("request_body", sa.LargeBinary(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("dns_ms", sa.Integer(), nullable=True),
        sa.Column("connect_ms", sa.Integer(), nullable=True),
        sa.Column("first_byte_ms", sa.Integer(), nullable=True),
        sa.Column("failure_count_after", sa.Integer(), nullable=True),
        sa.Column(
            "disabled_webhook", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(status = 'pending') = (finished_at IS NULL)",
            name=op.f("ck_webhook_deliveries_finished_at"),
        ),
        sa.CheckConstraint(
            "failure_kind IN ('http_3xx', 'http_4xx', 'http_5xx', 'timeout', 'dns', 'tls', 'connect', 'blocked_address', 'too_large', 'protocol')",
            name=op.f("ck_webhook_deliveries_failure_kind"),
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'success', 'failed', 'skipped')",
            name=op.f("ck_webhook_deliveries_status"),
        ),
        sa.CheckConstraint(
            "trigger IN ('event', 'replay', 'test')", name=op.f("ck_webhook_deliveries_trigger")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "webhook_id"],
            ["webhook_subscriptions.client_id", "webhook_subscriptions.id"],
            name=op.f("fk_webhook_deliveries_client_id_webhook_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_webhook_deliveries_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_webhook_deliveries")),
    )
    op.create_index(
        op.f("ix_webhook_deliveries_client_id_webhook_id_id"),
        "webhook_deliveries",
        ["client_id", "webhook_id", "id"],
        unique=False,
    )
    op.create_index(
        "ix_webhook_deliveries_ended",
        "webhook_deliveries",
        ["client_id", "webhook_id", "finished_at", "id"],
        unique=False,
        postgresql_where=sa.text("status <> 'pending'"),
    )
    op.create_index(
        "ix_webhook_deliveries_pending",
        "webhook_deliveries",
        ["created_at", "id"],
        unique=False,
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "ix_webhook_deliveries_run",
        "webhook_deliveries",
        ["client_id", "run_id"],
        unique=False,
        postgresql_where=sa.text("status = 'pending' AND run_id IS NOT NULL"),
    )
    op.create_table(
        "webhook_misses",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id", "event_id"],
            ["outbox.client_id", "outbox.id"],
            name=op.f("fk_webhook_misses_client_id_event_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "webhook_id"],
            ["webhook_subscriptions.client_id", "webhook_subscriptions.id"],
            name=op.f("fk_webhook_misses_client_id_webhook_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "client_id", "webhook_id", "event_id", name=op.f("pk_webhook_misses")
        ),
    )
    op.create_index(
        op.f("ix_webhook_misses_client_id_webhook_id_created_at"),
        "webhook_misses",
        ["client_id", "webhook_id", "created_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_webhook_misses_created_at"), "webhook_misses", ["created_at"], unique=False
    )
    op.add_column("outbox", sa.Column("body", sa.LargeBinary(), nullable=True))
    op.create_index(
        "ix_outbox_with_body",
        "outbox",
        ["created_at"],
        unique=False,
        postgresql_where=sa.text("body IS NOT NULL"),
    )
    # Older events have no body, because they had no subscribers. `data` is kept for one more
    # version: the previous version of the service, which runs during the migration, still writes
    # it.
    for table in TENANT_TABLES:
        tenancy.protect(table)


def downgrade() -> None:
    for table in TENANT_TABLES:
        tenancy.unprotect(table)
    op.drop_index(
        "ix_outbox_with_body", table_name="outbox", postgresql_where=sa.text("body IS NOT NULL")
    )
    op.drop_column("outbox", "body")
    op.drop_index(op.f("ix_webhook_misses_created_at"), table_name="webhook_misses")
    op.drop_index(
        op.f("ix_webhook_misses_client_id_webhook_id_created_at"), table_name="webhook_misses"
    )
    op.drop_table("webhook_misses")
    op.drop_index(
        "ix_webhook_deliveries_run",
        table_name="webhook_deliveries",
        postgresql_where=sa.text("status = 'pending' AND run_id IS NOT NULL"),
    )
    op.drop_index(
        "ix_webhook_deliveries_ended",
        table_name="webhook_deliveries",
        postgresql_where=sa.text("status <> 'pending'"),
    )
    op.drop_index(
        "ix_webhook_deliveries_pending",
        table_name="webhook_deliveries",
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.drop_index(
        op.f("ix_webhook_deliveries_client_id_webhook_id_id"), table_name="webhook_deliveries"
    )
    op.drop_table("webhook_deliveries")
    op.drop_index(op.f("ix_webhook_subscriptions_id"), table_name="webhook_subscriptions")
    op.drop_table("webhook_subscriptions")
