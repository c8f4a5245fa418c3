"""add resolutions and returned tickets

Counts how often each event was sent for a ticket. Adds returned tickets, and webhooks that receive
an event only the first time that it is sent for a ticket.

Revision: 7a4e19c2d05b
Follows: 80c0f3e5a1d4
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "7a4e19c2d05b"
down_revision = "80c0f3e5a1d4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ticket_events",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("ticket_key", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("number > 0", name=op.f("ck_ticket_events_number")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_ticket_events_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "event", "ticket_key", name=op.f("pk_ticket_events")),
    )
    op.create_index(
        op.f("ix_ticket_events_client_id_last_at"), "ticket_events", ["client_id", "last_at"]
    )
    tenancy.protect("ticket_events")
    op.add_column(
        "webhook_subscriptions",
        sa.Column("once_per_ticket", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    op.add_column(
        "usage_ledger", sa.Column("returned_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column("credit_ledger", sa.Column("returned_event_id", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("credit_ledger", "returned_event_id")
    op.drop_column("usage_ledger", "returned_at")
    op.drop_column("webhook_subscriptions", "once_per_ticket")
    tenancy.unprotect("ticket_events")
    op.drop_table("ticket_events")
