"""create the initial schema

Revision: d70a41df9c2d
Follows:
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "d70a41df9c2d"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_table(
        "clients",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner_user_id", sa.Text(), nullable=False),
        sa.Column("brand_name", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("trial_ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("credits_balance", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "plan IN ('free', 'starter', 'pro', 'enterprise')", name=op.f("ck_clients_plan")
        ),
        sa.CheckConstraint("credits_balance >= 0", name=op.f("ck_clients_credits")),
        sa.ForeignKeyConstraint(
            ["owner_user_id"], ["users.id"], name=op.f("fk_clients_owner_user_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clients")),
    )
    op.create_index(op.f("ix_clients_owner_user_id"), "clients", ["owner_user_id"], unique=False)
    op.create_table(
        "ai_conversations",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("customer_email", sa.Text(), nullable=True),
        sa.Column(
            "turns",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_message_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_ai_conversations_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_ai_conversations")),
        sa.UniqueConstraint("client_id", "key", name=op.f("uq_ai_conversations_client_id_key")),
    )
    op.create_table(
        "api_keys",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_api_keys_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_keys_digest")),
    )
    op.create_table(
        "client_users",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "role IN ('owner', 'admin', 'agent', 'viewer')", name=op.f("ck_client_users_role")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_client_users_client_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_client_users_user_id")),
        sa.PrimaryKeyConstraint("client_id", "user_id", name=op.f("pk_client_users")),
    )
    op.create_index(
        op.f("ix_client_users_user_id_created_at"),
        "client_users",
        ["user_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "credit_ledger",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_credit_ledger_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_credit_ledger")),
    )
    op.create_table(
        "engine_events",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("customer_email", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column(
            "payload",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("unified", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('run', 'no_playbook')", name=op.f("ck_engine_events_outcome")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_engine_events_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_engine_events")),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.LargeBinary(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_idempotency_keys_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_table(
        "knowledge_entries",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column(
            "search",
            postgresql.TSVECTOR(),
            sa.Computed(
                "to_tsvector(\n    CASE language WHEN 'fr' THEN 'french'::regconfig ELSE 'english'::regconfig END, search_text)",
                persisted=True,
            ),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("language IN ('fr', 'en')", name=op.f("ck_knowledge_entries_language")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_knowledge_entries_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_knowledge_entries")),
    )
    op.create_index(
        op.f("ix_knowledge_entries_search"),
        "knowledge_entries",
        ["search"],
        unique=False,
        postgresql_using="gin",
    )
    op.create_table(
        "playbooks",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_playbooks_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_playbooks")),
    )
    op.create_table(
        "response_templates",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("language IN ('fr', 'en')", name=op.f("ck_response_templates_language")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_response_templates_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_response_templates")),
    )
    op.create_table(
        "engine_messages",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=True),
        sa.Column("direction", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "author IN ('customer', 'agent', 'human')", name=op.f("ck_engine_messages_author")
        ),
        sa.CheckConstraint(
            "direction IN ('inbound', 'outbound')", name=op.f("ck_engine_messages_direction")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "conversation_id"],
            ["ai_conversations.client_id", "ai_conversations.id"],
            name=op.f("fk_engine_messages_client_id_conversation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "event_id"],
            ["engine_events.client_id", "engine_events.id"],
            name=op.f("fk_engine_messages_client_id_event_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_engine_messages_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_engine_messages")),
        sa.UniqueConstraint(
            "client_id",
            "event_id",
            "direction",
            name=op.f("uq_engine_messages_client_id_event_id_direction"),
        ),
    )
    op.create_index(
        op.f("ix_engine_messages_client_id_conversation_id_created_at"),
        "engine_messages",
        ["client_id", "conversation_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "playbook_versions",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("playbook_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("threshold", sa.Double(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "threshold BETWEEN 0 AND 1", name=op.f("ck_playbook_versions_threshold")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "playbook_id"],
            ["playbooks.client_id", "playbooks.id"],
            name=op.f("fk_playbook_versions_client_id_playbook_id"),
        ),
        sa.PrimaryKeyConstraint(
            "client_id", "playbook_id", "version", name=op.f("pk_playbook_versions")
        ),
    )
    op.create_table(
        "engine_runs",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("playbook_id", sa.Text(), nullable=False),
        sa.Column("playbook_version", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("classification", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column(
            "alternatives",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("draft", sa.Text(), nullable=True),
        sa.Column("response", sa.Text(), nullable=True),
        sa.Column("answer", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("doubt", sa.Text(), nullable=True),
        sa.Column(
            "plan",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column(
            "steps",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column(
            "citations",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("tokens_in", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tokens_out", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column(
            "timings",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('received', 'completed', 'needs_review', 'failed')",
            name=op.f("ck_engine_runs_status"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "event_id"],
            ["engine_events.client_id", "engine_events.id"],
            name=op.f("fk_engine_runs_client_id_event_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "playbook_id", "playbook_version"],
            [
                "playbook_versions.client_id",
                "playbook_versions.playbook_id",
                "playbook_versions.version",
            ],
            name=op.f("fk_engine_runs_client_id_playbook_id_playbook_version"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_engine_runs_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_engine_runs")),
        sa.UniqueConstraint(
            "client_id", "event_id", name=op.f("uq_engine_runs_client_id_event_id")
        ),
    )
    op.create_index(
        "ix_engine_runs_received",
        "engine_runs",
        ["received_at"],
        unique=False,
        postgresql_where=sa.text("status = 'received'"),
    )
    op.create_table(
        "action_ledger",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("planned_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('planned', 'done', 'failed', 'unknown')", name=op.f("ck_action_ledger_state")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "run_id"],
            ["engine_runs.client_id", "engine_runs.id"],
            name=op.f("fk_action_ledger_client_id_run_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_action_ledger_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_action_ledger")),
        sa.UniqueConstraint(
            "client_id",
            "run_id",
            "step",
            "round",
            name=op.f("uq_action_ledger_client_id_run_id_step_round"),
        ),
    )
    op.create_table(
        "escalation_tickets",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column(
            "plan",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("edited_text", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_up_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('pending', 'claimed', 'approved', 'edited', 'rejected', 'expired')",
            name=op.f("ck_escalation_tickets_status"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "run_id"],
            ["engine_runs.client_id", "engine_runs.id"],
            name=op.f("fk_escalation_tickets_client_id_run_id"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_escalation_tickets_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_escalation_tickets")),
        sa.UniqueConstraint(
            "client_id",
            "run_id",
            "round",
            name=op.f("uq_escalation_tickets_client_id_run_id_round"),
        ),
    )
    op.create_index(
        op.f("ix_escalation_tickets_client_id_status_created_at"),
        "escalation_tickets",
        ["client_id", "status", "created_at"],
        unique=False,
    )
    op.create_index(
        "ix_escalation_tickets_untaken",
        "escalation_tickets",
        ["decided_at"],
        unique=False,
        postgresql_where=sa.text("decided_at IS NOT NULL AND taken_up_at IS NULL"),
    )


def downgrade() -> None:
    op.drop_index(
        "ix_escalation_tickets_untaken",
        table_name="escalation_tickets",
        postgresql_where=sa.text("decided_at IS NOT NULL AND taken_up_at IS NULL"),
    )
    op.drop_index(
        op.f("ix_escalation_tickets_client_id_status_created_at"), table_name="escalation_tickets"
    )
    op.drop_table("escalation_tickets")
    op.drop_table("action_ledger")
    op.drop_index(
        "ix_engine_runs_received",
        table_name="engine_runs",
        postgresql_where=sa.text("status = 'received'"),
    )
    op.drop_table("engine_runs")
    op.drop_table("playbook_versions")
    op.drop_index(
        op.f("ix_engine_messages_client_id_conversation_id_created_at"),
        table_name="engine_messages",
    )
    op.drop_table("engine_messages")
    op.drop_table("response_templates")
    op.drop_table("playbooks")
    op.drop_index(
        op.f("ix_knowledge_entries_search"), table_name="knowledge_entries", postgresql_using="gin"
    )
    op.drop_table("knowledge_entries")
    op.drop_table("idempotency_keys")
    op.drop_table("engine_events")
    op.drop_table("credit_ledger")
    op.drop_index(op.f("ix_client_users_user_id_created_at"), table_name="client_users")
    op.drop_table("client_users")
    op.drop_table("api_keys")
    op.drop_table("ai_conversations")
    op.drop_index(op.f("ix_clients_owner_user_id"), table_name="clients")
    op.drop_table("clients")
    op.drop_table("users")
