"""add threads and proof for actions

Adds the state of a thread, the actions that a customer is asked to confirm, and the topics that a
human always reviews.

Revision: 7d20c1b4ae95
Follows: 3c51d7a9e0b2
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import protect

revision = "7d20c1b4ae95"
down_revision = "3c51d7a9e0b2"
branch_labels = None
depends_on = None

_TEXTS = (
    ("engine_runs", "intent"),
    ("engine_runs", "sensitive"),
    ("engine_runs", "prompt_version"),
    ("engine_runs", "joined_review"),
    ("ai_conversations", "memory_key"),
    ("escalation_tickets", "latest_event_id"),
    ("escalation_tickets", "sensitive"),
    ("response_templates", "intent"),
)
_TIMES = (("ai_conversations", "handed_over_at"), ("ai_conversations", "ended_at"))
_OPTIONAL_JSON = (
    ("engine_runs", "proposal"),
    ("engine_runs", "thread_after"),
    ("ai_conversations", "proposal"),
)
_JSON = (
    ("ai_conversations", "thread", "{}"),
    ("response_templates", "not_for", "[]"),
    ("client_settings", "authserv_ids", "[]"),
    ("client_settings", "sensitive_words", "[]"),
    ("client_settings", "acknowledgement", "{}"),
)


def upgrade() -> None:
    for table, column in _TEXTS:
        op.add_column(table, sa.Column(column, sa.Text))
    for table, column in _TIMES:
        op.add_column(table, sa.Column(column, sa.DateTime(timezone=True)))
    for table, column in _OPTIONAL_JSON:
        op.add_column(table, sa.Column(column, postgresql.JSONB))
    for table, column, empty in _JSON:
        op.add_column(
            table,
            sa.Column(
                column,
                postgresql.JSONB,
                nullable=False,
                server_default=sa.text(f"'{empty}'::jsonb"),
            ),
        )
    op.add_column(
        "escalation_tickets",
        sa.Column("urgent", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_index(
        "ix_engine_runs_joined",
        "engine_runs",
        ["client_id", "joined_review"],
        postgresql_where=sa.text("joined_review IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_ai_conversations_client_id_memory_key_last_message_at"),
        "ai_conversations",
        ["client_id", "memory_key", "last_message_at"],
    )
    op.create_table(
        "customer_memories",
        sa.Column("client_id", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_customer_memories_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "key", name=op.f("pk_customer_memories")),
    )
    protect("customer_memories")
    op.create_index(
        "ix_action_ledger_mails",
        "action_ledger",
        ["client_id", "reference"],
        postgresql_where=sa.text("action = 'reply_by_email'"),
    )
    # Before this revision, an address had a single permanent conversation, which served as the
    # customer's memory.
    op.execute("SET LOCAL ROLE engine_service")
    op.execute("UPDATE ai_conversations SET memory_key = key WHERE key LIKE 'email:%'")
    op.execute("""
        INSERT INTO customer_memories (client_id, key, summary, updated_at)
        SELECT client_id, key, summary, last_message_at FROM ai_conversations
        WHERE key LIKE 'email:%'
    """)
    op.execute("RESET ROLE")


def downgrade() -> None:
    op.drop_index("ix_action_ledger_mails")
    op.drop_table("customer_memories")
    op.drop_index("ix_engine_runs_joined")
    op.drop_index(op.f("ix_ai_conversations_client_id_memory_key_last_message_at"))
    op.drop_column("escalation_tickets", "urgent")
    for table, column, _ in reversed(_JSON):
        op.drop_column(table, column)
    for table, column in reversed((*_TEXTS, *_TIMES, *_OPTIONAL_JSON)):
        op.drop_column(table, column)
