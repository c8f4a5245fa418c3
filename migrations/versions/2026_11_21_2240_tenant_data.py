"""add erasures, automation events, churn predictions, client settings and other tenant data

Revision: fa5b03de268c
Follows: acf49fe5a337
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "fa5b03de268c"
down_revision = "acf49fe5a337"
branch_labels = None
depends_on = None

TENANT_TABLES = (
    "automation_events",
    "churn_predictions",
    "client_settings",
    "inbound_events",
    "metrics_daily",
)


def upgrade() -> None:
    op.create_table(
        "erasures",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("subject_digest", sa.LargeBinary(), nullable=True),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column(
            "removed",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("standing", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(scope = 'customer') = (subject_digest IS NOT NULL)", name=op.f("ck_erasures_subject")
        ),
        sa.CheckConstraint("scope IN ('tenant', 'customer')", name=op.f("ck_erasures_scope")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasures")),
    )
    op.create_index(op.f("ix_erasures_client_id"), "erasures", ["client_id"], unique=False)
    op.create_table(
        "automation_events",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("customer_email", sa.Text(), nullable=True),
        sa.Column(
            "payload",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_automation_events_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_automation_events")),
    )
    op.create_index(
        op.f("ix_automation_events_client_id_created_at"),
        "automation_events",
        ["client_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "churn_predictions",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("customer_email", sa.Text(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column(
            "factors",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "level IN ('low', 'medium', 'high')", name=op.f("ck_churn_predictions_level")
        ),
        sa.CheckConstraint("score BETWEEN 0 AND 1", name=op.f("ck_churn_predictions_score")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_churn_predictions_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_churn_predictions")),
        sa.UniqueConstraint(
            "client_id",
            "week",
            "customer_email",
            name=op.f("uq_churn_predictions_client_id_week_customer_email"),
        ),
    )
    op.create_index(
        op.f("ix_churn_predictions_client_id_customer_email"),
        "churn_predictions",
        ["client_id", "customer_email"],
        unique=False,
    )
    op.create_table(
        "client_settings",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("system_prompt", sa.Text(), nullable=True),
        sa.Column(
            "branding",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("widget_key", sa.Text(), nullable=True),
        sa.Column(
            "retention",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_client_settings_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", name=op.f("pk_client_settings")),
        sa.UniqueConstraint("widget_key", name=op.f("uq_client_settings_widget_key")),
    )
    op.create_table(
        "inbound_events",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_inbound_events_client_id")
        ),
        sa.PrimaryKeyConstraint(
            "client_id", "provider", "event_id", name=op.f("pk_inbound_events")
        ),
    )
    op.create_index(
        op.f("ix_inbound_events_created_at"), "inbound_events", ["created_at"], unique=False
    )
    op.create_table(
        "metrics_daily",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("completed", sa.Integer(), nullable=False),
        sa.Column("needs_review", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("no_playbook", sa.Integer(), nullable=False),
        sa.Column("escalated", sa.Integer(), nullable=False),
        sa.Column("reviewed", sa.Integer(), nullable=False),
        sa.Column("messages_in", sa.Integer(), nullable=False),
        sa.Column("messages_out", sa.Integer(), nullable=False),
        sa.Column("customers", sa.Integer(), nullable=False),
        sa.Column("latency_p50_ms", sa.Double(), nullable=True),
        sa.Column("latency_p95_ms", sa.Double(), nullable=True),
        sa.Column("sentiment_mean", sa.Double(), nullable=True),
        sa.Column("sentiment_count", sa.Integer(), nullable=False),
        sa.Column("resolution_rate", sa.Double(), nullable=True),
        sa.Column("automation_rate", sa.Double(), nullable=True),
        sa.Column("escalation_rate", sa.Double(), nullable=True),
        sa.Column("review_rate", sa.Double(), nullable=True),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_metrics_daily_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "day", name=op.f("pk_metrics_daily")),
    )
    op.add_column("clients", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "knowledge_entries", sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column(
        "engine_events", sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_index(
        "ix_engine_events_erased",
        "engine_events",
        ["client_id", "id"],
        unique=False,
        postgresql_where=sa.text("erased_at IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_webhook_deliveries_client_id_event_id"),
        "webhook_deliveries",
        ["client_id", "event_id"],
        unique=False,
    )
    op.drop_column("outbox", "data")
    op.add_column(
        "response_templates", sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True)
    )
    for table in TENANT_TABLES:
        tenancy.protect(table)
    tenancy.protect("erasures", tenant_column=None)


def downgrade() -> None:
    for table in (*TENANT_TABLES, "erasures"):
        tenancy.unprotect(table)
    op.drop_column("response_templates", "updated_at")
    op.add_column(
        "outbox",
        sa.Column(
            "data",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            autoincrement=False,
            nullable=False,
        ),
    )
    op.drop_index(op.f("ix_webhook_deliveries_client_id_event_id"), table_name="webhook_deliveries")
    op.drop_index(
        "ix_engine_events_erased",
        table_name="engine_events",
        postgresql_where=sa.text("erased_at IS NOT NULL"),
    )
    op.drop_column("engine_events", "erased_at")
    op.drop_column("knowledge_entries", "updated_at")
    op.drop_column("clients", "closed_at")
    op.drop_table("metrics_daily")
    op.drop_index(op.f("ix_inbound_events_created_at"), table_name="inbound_events")
    op.drop_table("inbound_events")
    op.drop_table("client_settings")
    op.drop_index(
        op.f("ix_churn_predictions_client_id_customer_email"), table_name="churn_predictions"
    )
    op.drop_table("churn_predictions")
    op.drop_index(op.f("ix_automation_events_client_id_created_at"), table_name="automation_events")
    op.drop_table("automation_events")
    op.drop_index(op.f("ix_erasures_client_id"), table_name="erasures")
    op.drop_table("erasures")
