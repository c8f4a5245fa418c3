"""add integrations, the outbox, brain costs, embeddings and sentiment

Revision: 3a3622d8a308
Follows: 235187c55e33
"""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "3a3622d8a308"
down_revision = "235187c55e33"
branch_labels = None
depends_on = None

TENANT_TABLES = ("brain_costs", "integrations", "knowledge_embeddings", "outbox", "sentiment_logs")


def upgrade() -> None:
    # Only a superuser can create the extension, so an installation creates it in advance
    # (docs/operations.md).
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.create_table(
        "brain_costs",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "period ~ '^\\d{4}-(0[1-9]|1[0-2])$'", name=op.f("ck_brain_costs_period")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_brain_costs_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "period", name=op.f("pk_brain_costs")),
    )
    op.create_table(
        "integrations",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column(
            "settings",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("connected_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disconnected_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "provider IN ('shopify', 'stripe', 'demo_shop', 'zendesk', 'gorgias')",
            name=op.f("ck_integrations_provider"),
        ),
        sa.CheckConstraint(
            "status IN ('connected', 'disconnected', 'error')", name=op.f("ck_integrations_status")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_integrations_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_integrations")),
    )
    op.create_index(
        "ux_integrations_live",
        "integrations",
        ["client_id", "provider"],
        unique=True,
        postgresql_where=sa.text("status <> 'disconnected'"),
    )
    op.create_table(
        "outbox",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("dedup_key", sa.Text(), nullable=False),
        sa.Column(
            "data",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_outbox_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_outbox")),
        sa.UniqueConstraint(
            "client_id", "event", "dedup_key", name=op.f("uq_outbox_client_id_event_dedup_key")
        ),
    )
    op.create_index(
        op.f("ix_outbox_client_id_created_at"), "outbox", ["client_id", "created_at"], unique=False
    )
    op.create_table(
        "knowledge_embeddings",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("embedding", VECTOR(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id", "entry_id"],
            ["knowledge_entries.client_id", "knowledge_entries.id"],
            name=op.f("fk_knowledge_embeddings_client_id_entry_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("client_id", "entry_id", name=op.f("pk_knowledge_embeddings")),
    )
    op.create_table(
        "sentiment_logs",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("is_critical", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("score BETWEEN -1 AND 1", name=op.f("ck_sentiment_logs_score")),
        sa.ForeignKeyConstraint(
            ["client_id", "conversation_id"],
            ["ai_conversations.client_id", "ai_conversations.id"],
            name=op.f("fk_sentiment_logs_client_id_conversation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "event_id"],
            ["engine_events.client_id", "engine_events.id"],
            name=op.f("fk_sentiment_logs_client_id_event_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_sentiment_logs_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_sentiment_logs")),
        sa.UniqueConstraint(
            "client_id", "event_id", name=op.f("uq_sentiment_logs_client_id_event_id")
        ),
    )
    op.create_index(
        op.f("ix_sentiment_logs_client_id_conversation_id_created_at"),
        "sentiment_logs",
        ["client_id", "conversation_id", "created_at"],
        unique=False,
    )
    op.add_column("action_ledger", sa.Column("integration_id", sa.Text(), nullable=True))
    op.add_column("action_ledger", sa.Column("order_key", sa.Text(), nullable=True))
    op.add_column("action_ledger", sa.Column("customer_key", sa.Text(), nullable=True))
    op.add_column("action_ledger", sa.Column("amount", sa.BigInteger(), nullable=True))
    op.add_column("action_ledger", sa.Column("currency", sa.Text(), nullable=True))
    op.add_column("action_ledger", sa.Column("reference", sa.Text(), nullable=True))
    op.create_index(
        "ix_action_ledger_money",
        "action_ledger",
        ["client_id", "planned_at"],
        unique=False,
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    )
    op.create_index(
        "ix_action_ledger_order",
        "action_ledger",
        ["client_id", "order_key"],
        unique=False,
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    )
    op.add_column("ai_conversations", sa.Column("sentiment", sa.Double(), nullable=True))
    op.add_column(
        "ai_conversations",
        sa.Column("is_critical", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column("clients", sa.Column("brain_budget_micros", sa.BigInteger(), nullable=True))
    op.add_column("engine_runs", sa.Column("hold", sa.Text(), nullable=True))
    op.add_column("engine_runs", sa.Column("sentiment", sa.Double(), nullable=True))
    op.add_column(
        "engine_runs", sa.Column("lookup", postgresql.JSONB(astext_type=sa.Text()), nullable=True)
    )
    op.add_column(
        "engine_runs",
        sa.Column(
            "findings",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
    )
    op.add_column(
        "engine_runs",
        sa.Column(
            "verdicts",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
    )
    op.add_column("engine_runs", sa.Column("handoff_reason", sa.Text(), nullable=True))
    op.add_column(
        "escalation_tickets", sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column(
        "escalation_tickets",
        sa.Column("needs_second", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column("escalation_tickets", sa.Column("first_approved_by", sa.Text(), nullable=True))
    op.add_column(
        "escalation_tickets",
        sa.Column("first_approved_at", sa.DateTime(timezone=True), nullable=True),
    )
    op.add_column("escalation_tickets", sa.Column("amount", sa.BigInteger(), nullable=True))
    op.add_column("escalation_tickets", sa.Column("currency", sa.Text(), nullable=True))
    op.add_column("escalation_tickets", sa.Column("note", sa.Text(), nullable=True))
    op.create_index(op.f("ix_escalation_tickets_id"), "escalation_tickets", ["id"])
    op.add_column(
        "playbook_versions",
        sa.Column(
            "rulebook",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
    )
    op.create_check_constraint("brain_budget", "clients", "brain_budget_micros >= 0")
    for table in TENANT_TABLES:
        tenancy.protect(table)


def downgrade() -> None:
    for table in TENANT_TABLES:
        tenancy.unprotect(table)
    op.drop_constraint(op.f("ck_clients_brain_budget"), "clients")
    op.drop_column("playbook_versions", "rulebook")
    op.drop_index(op.f("ix_escalation_tickets_id"), table_name="escalation_tickets")
    op.drop_column("escalation_tickets", "note")
    op.drop_column("escalation_tickets", "currency")
    op.drop_column("escalation_tickets", "amount")
    op.drop_column("escalation_tickets", "first_approved_at")
    op.drop_column("escalation_tickets", "first_approved_by")
    op.drop_column("escalation_tickets", "needs_second")
    op.drop_column("escalation_tickets", "claimed_at")
    op.drop_column("engine_runs", "handoff_reason")
    op.drop_column("engine_runs", "verdicts")
    op.drop_column("engine_runs", "findings")
    op.drop_column("engine_runs", "lookup")
    op.drop_column("engine_runs", "sentiment")
    op.drop_column("engine_runs", "hold")
    op.drop_column("clients", "brain_budget_micros")
    op.drop_column("ai_conversations", "is_critical")
    op.drop_column("ai_conversations", "sentiment")
    op.drop_index(
        "ix_action_ledger_order",
        table_name="action_ledger",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    )
    op.drop_index(
        "ix_action_ledger_money",
        table_name="action_ledger",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    )
    op.drop_column("action_ledger", "reference")
    op.drop_column("action_ledger", "currency")
    op.drop_column("action_ledger", "amount")
    op.drop_column("action_ledger", "customer_key")
    op.drop_column("action_ledger", "order_key")
    op.drop_column("action_ledger", "integration_id")
    op.drop_index(
        op.f("ix_sentiment_logs_client_id_conversation_id_created_at"), table_name="sentiment_logs"
    )
    op.drop_table("sentiment_logs")
    op.drop_table("knowledge_embeddings")
    op.drop_index(op.f("ix_outbox_client_id_created_at"), table_name="outbox")
    op.drop_table("outbox")
    op.drop_index(
        "ux_integrations_live",
        table_name="integrations",
        postgresql_where=sa.text("status <> 'disconnected'"),
    )
    op.drop_table("integrations")
    op.drop_table("brain_costs")
    # The extension is kept, because another application may use it.
