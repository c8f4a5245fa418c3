"""add members' replies and internal notes

A message of the thread then belongs either to an event or to a member's reply. The two constraints
are not checked against existing rows, because no existing row has a reply.

Revision: 2f6d08b4a9c1
Follows: 8b5f2e07c4d9
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "2f6d08b4a9c1"
down_revision = "8b5f2e07c4d9"
branch_labels = None
depends_on = None


def _time(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.Text(), nullable=nullable)


def _points_to(owner: str, table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["client_id", column],
        [f"{table}.client_id", f"{table}.id"],
        name=op.f(f"fk_{owner}_client_id_{column}"),
    )


def upgrade() -> None:
    _make_replies()
    _make_notes()
    op.alter_column("engine_messages", "event_id", nullable=True)
    op.add_column("engine_messages", _text("reply_id", nullable=True))
    op.create_foreign_key(
        op.f("fk_engine_messages_client_id_reply_id"),
        "engine_messages",
        "conversation_replies",
        ["client_id", "reply_id"],
        ["client_id", "id"],
        ondelete="CASCADE",
        postgresql_not_valid=True,
    )
    op.create_check_constraint(
        op.f("ck_engine_messages_origin"),
        "engine_messages",
        "num_nonnulls(event_id, reply_id) = 1",
        postgresql_not_valid=True,
    )


def _make_replies() -> None:
    op.create_table(
        "conversation_replies",
        _text("client_id"),
        _text("id"),
        _text("conversation_id"),
        _text("event_id"),
        _text("run_id"),
        sa.Column("step", sa.Integer(), nullable=False),
        _text("author"),
        _text("body"),
        _text("state"),
        _text("error_code", nullable=True),
        _time("created_at"),
        _time("send_at"),
        _time("finished_at", nullable=True),
        sa.CheckConstraint(
            "state IN ('scheduled', 'sending', 'sent', 'failed', 'unknown')",
            name=op.f("ck_conversation_replies_state"),
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_conversation_replies_client_id")
        ),
        _points_to("conversation_replies", "ai_conversations", "conversation_id"),
        _points_to("conversation_replies", "engine_events", "event_id"),
        _points_to("conversation_replies", "engine_runs", "run_id"),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_conversation_replies")),
        sa.UniqueConstraint(
            "client_id",
            "run_id",
            "step",
            name=op.f("uq_conversation_replies_client_id_run_id_step"),
        ),
    )
    op.create_index(
        op.f("ix_conversation_replies_client_id_conversation_id_created_at"),
        "conversation_replies",
        ["client_id", "conversation_id", "created_at"],
    )
    op.create_index(
        op.f("ix_conversation_replies_client_id_event_id"),
        "conversation_replies",
        ["client_id", "event_id"],
    )
    op.create_index(
        "ix_conversation_replies_unsent",
        "conversation_replies",
        ["created_at", "id"],
        postgresql_where=sa.text("state IN ('scheduled', 'sending')"),
    )
    op.create_index(op.f("ix_conversation_replies_id"), "conversation_replies", ["id"])
    tenancy.protect("conversation_replies")


def _make_notes() -> None:
    op.create_table(
        "conversation_notes",
        _text("client_id"),
        _text("id"),
        _text("conversation_id"),
        _text("event_id"),
        _text("author"),
        _text("body"),
        _time("created_at"),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_conversation_notes_client_id")
        ),
        _points_to("conversation_notes", "ai_conversations", "conversation_id"),
        _points_to("conversation_notes", "engine_events", "event_id"),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_conversation_notes")),
    )
    op.create_index(
        op.f("ix_conversation_notes_client_id_conversation_id_created_at"),
        "conversation_notes",
        ["client_id", "conversation_id", "created_at"],
    )
    op.create_index(
        op.f("ix_conversation_notes_client_id_event_id"),
        "conversation_notes",
        ["client_id", "event_id"],
    )
    tenancy.protect("conversation_notes")


def downgrade() -> None:
    op.execute("SET LOCAL ROLE engine_service")
    op.execute("DELETE FROM engine_messages WHERE reply_id IS NOT NULL")
    op.execute("RESET ROLE")
    op.drop_constraint(op.f("ck_engine_messages_origin"), "engine_messages")
    op.drop_constraint(op.f("fk_engine_messages_client_id_reply_id"), "engine_messages")
    op.drop_column("engine_messages", "reply_id")
    op.alter_column("engine_messages", "event_id", nullable=False)
    for table in ("conversation_notes", "conversation_replies"):
        tenancy.unprotect(table)
        op.drop_table(table)
