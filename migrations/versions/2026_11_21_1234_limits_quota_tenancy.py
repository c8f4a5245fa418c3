"""add limits, quotas, credits and row-level security

Revision: 235187c55e33
Follows: d70a41df9c2d
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "235187c55e33"
down_revision = "d70a41df9c2d"
branch_labels = None
depends_on = None

TENANT_TABLES = (
    "client_users",
    "api_keys",
    "credit_ledger",
    "usage_counters",
    "usage_ledger",
    "thresholds_sent",
    "playbooks",
    "playbook_versions",
    "engine_events",
    "idempotency_keys",
    "engine_runs",
    "ai_conversations",
    "engine_messages",
    "escalation_tickets",
    "action_ledger",
    "response_templates",
    "knowledge_entries",
)
SERVICE_TABLES = ("users", "error_reports", "rate_windows")

# A presented key is looked up before the tenant is known. Without a tenant, the application's role
# can only call this function. Given the digest of a key, it returns the key's id and client.
ACTIVE_KEY = """
CREATE FUNCTION active_key(presented bytea) RETURNS TABLE (id text, client_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT id, client_id FROM public.api_keys WHERE digest = presented AND is_active $$
"""


def _make_active_key() -> None:
    op.execute(ACTIVE_KEY)
    op.execute("REVOKE ALL ON FUNCTION active_key FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION active_key TO {tenancy.APP}")
    # The function runs as its owner. A new owner must have CREATE on the schema during the change.
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION active_key OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def upgrade() -> None:
    op.create_table(
        "error_reports",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("client_id", sa.Text(), nullable=True),
        sa.Column("event_id", sa.Text(), nullable=True),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column(
            "exception",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_error_reports")),
    )
    op.create_index(
        op.f("ix_error_reports_created_at"), "error_reports", ["created_at"], unique=False
    )
    op.create_table(
        "rate_windows",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("hits", postgresql.ARRAY(sa.DateTime(timezone=True)), nullable=False),
        sa.Column("lapses_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name=op.f("pk_rate_windows")),
        prefixes=["UNLOGGED"],
    )
    op.create_index(op.f("ix_rate_windows_lapses_at"), "rate_windows", ["lapses_at"], unique=False)
    op.create_table(
        "thresholds_sent",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("threshold", sa.Integer(), nullable=False),
        sa.Column("tickets_used", sa.BigInteger(), nullable=False),
        sa.Column("tickets_limit", sa.BigInteger(), nullable=False),
        sa.Column("credits_balance", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "period ~ '^\\d{4}-(0[1-9]|1[0-2])$'", name=op.f("ck_thresholds_sent_period")
        ),
        sa.CheckConstraint("threshold IN (80, 100)", name=op.f("ck_thresholds_sent_threshold")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_thresholds_sent_client_id")
        ),
        sa.PrimaryKeyConstraint(
            "client_id", "period", "threshold", name=op.f("pk_thresholds_sent")
        ),
    )
    op.create_table(
        "usage_counters",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("tickets_used", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "period ~ '^\\d{4}-(0[1-9]|1[0-2])$'", name=op.f("ck_usage_counters_period")
        ),
        sa.CheckConstraint("tickets_used >= 0", name=op.f("ck_usage_counters_tickets_used")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_usage_counters_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "period", name=op.f("pk_usage_counters")),
    )
    op.create_table(
        "usage_ledger",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("paid_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("paid_by IN ('quota', 'credit')", name=op.f("ck_usage_ledger_paid_by")),
        sa.CheckConstraint(
            "period ~ '^\\d{4}-(0[1-9]|1[0-2])$'", name=op.f("ck_usage_ledger_period")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "event_id"],
            ["engine_events.client_id", "engine_events.id"],
            name=op.f("fk_usage_ledger_client_id_event_id"),
        ),
        sa.PrimaryKeyConstraint("client_id", "event_id", name=op.f("pk_usage_ledger")),
    )
    op.create_index(
        op.f("ix_usage_ledger_client_id_period"),
        "usage_ledger",
        ["client_id", "period"],
        unique=False,
    )
    op.add_column("clients", sa.Column("next_plan", sa.Text(), nullable=True))
    op.add_column("clients", sa.Column("next_plan_from", sa.DateTime(timezone=True), nullable=True))
    op.add_column("credit_ledger", sa.Column("event_id", sa.Text(), nullable=True))
    op.create_unique_constraint(
        op.f("uq_credit_ledger_client_id_event_id"), "credit_ledger", ["client_id", "event_id"]
    )
    op.add_column("engine_messages", sa.Column("customer_key", sa.Text(), nullable=True))
    op.create_index(
        "ix_engine_messages_customer",
        "engine_messages",
        ["client_id", "customer_key", "created_at"],
        unique=False,
        postgresql_where=sa.text("direction = 'inbound' AND customer_key IS NOT NULL"),
    )
    op.create_index(
        "ix_engine_messages_inbound",
        "engine_messages",
        ["client_id", "created_at"],
        unique=False,
        postgresql_where=sa.text("direction = 'inbound'"),
    )
    op.create_check_constraint("amount", "credit_ledger", "amount <> 0")
    op.create_check_constraint(
        "next_plan", "clients", "next_plan IN ('free', 'starter', 'pro', 'enterprise')"
    )
    op.create_check_constraint(
        "next_plan_from", "clients", "(next_plan IS NULL) = (next_plan_from IS NULL)"
    )
    tenancy.make_roles()
    tenancy.protect("clients", tenant_column="id")
    for table in TENANT_TABLES:
        tenancy.protect(table)
    for table in SERVICE_TABLES:
        tenancy.protect(table, tenant_column=None)
    _make_active_key()


def downgrade() -> None:
    # The roles are kept, because they belong to the server and not to this database.
    op.execute("DROP FUNCTION active_key")
    for table in (*SERVICE_TABLES, *TENANT_TABLES, "clients"):
        tenancy.unprotect(table)
    op.drop_constraint(op.f("ck_clients_next_plan_from"), "clients")
    op.drop_constraint(op.f("ck_clients_next_plan"), "clients")
    op.drop_constraint(op.f("ck_credit_ledger_amount"), "credit_ledger")
    op.drop_index(
        "ix_engine_messages_inbound",
        table_name="engine_messages",
        postgresql_where=sa.text("direction = 'inbound'"),
    )
    op.drop_index(
        "ix_engine_messages_customer",
        table_name="engine_messages",
        postgresql_where=sa.text("direction = 'inbound' AND customer_key IS NOT NULL"),
    )
    op.drop_column("engine_messages", "customer_key")
    op.drop_constraint(op.f("uq_credit_ledger_client_id_event_id"), "credit_ledger", type_="unique")
    op.drop_column("credit_ledger", "event_id")
    op.drop_column("clients", "next_plan_from")
    op.drop_column("clients", "next_plan")
    op.drop_index(op.f("ix_usage_ledger_client_id_period"), table_name="usage_ledger")
    op.drop_table("usage_ledger")
    op.drop_table("usage_counters")
    op.drop_table("thresholds_sent")
    op.drop_index(op.f("ix_rate_windows_lapses_at"), table_name="rate_windows")
    op.drop_table("rate_windows")
    op.drop_index(op.f("ix_error_reports_created_at"), table_name="error_reports")
    op.drop_table("error_reports")
