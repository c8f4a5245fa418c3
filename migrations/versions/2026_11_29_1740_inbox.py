"""add the inbox: saved views, the wait of conversations, the conversation of reviews

The conversation is set for open reviews only, because only they are looked up by it.

Revision: a41f7c05d9e2
Follows: 5d2a9be04c71
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations import tenancy

revision = "a41f7c05d9e2"
down_revision = "5d2a9be04c71"
branch_labels = None
depends_on = None

_TALKS = "ai_conversations"
_REVIEWS = "escalation_tickets"


def upgrade() -> None:
    op.create_table(
        "inbox_views",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("filters", JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_inbox_views_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_inbox_views")),
    )
    op.create_index(op.f("ix_inbox_views_id"), "inbox_views", ["id"])
    tenancy.protect("inbox_views")
    op.add_column(_TALKS, sa.Column("waiting_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column(_REVIEWS, sa.Column("conversation_id", sa.Text(), nullable=True))
    op.execute("SET LOCAL ROLE engine_service")
    op.execute(
        """UPDATE escalation_tickets AS review SET conversation_id = said.conversation_id
        FROM engine_runs AS run
        JOIN engine_messages AS said
          ON said.client_id = run.client_id AND said.event_id = run.event_id
         AND said.direction = 'inbound'
        WHERE run.client_id = review.client_id AND run.id = review.run_id
          AND review.status IN ('pending', 'claimed')"""
    )
    op.execute("RESET ROLE")


def downgrade() -> None:
    op.drop_column(_REVIEWS, "conversation_id")
    op.drop_column(_TALKS, "waiting_since")
    tenancy.unprotect("inbox_views")
    op.drop_table("inbox_views")
