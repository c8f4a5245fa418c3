"""add payments

Adds clients' checkouts, and the events from the payment provider.

Revision: c4d7f20a91b8
Follows: c4d7e1a90b36
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "c4d7f20a91b8"
down_revision = "c4d7e1a90b36"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "checkouts",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=True),
        sa.Column("credits", sa.BigInteger(), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("monthly", sa.BigInteger(), nullable=True),
        sa.Column("renews_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("replaces", sa.Text(), nullable=True),
        sa.Column("customer_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("subscription_id", sa.Text(), nullable=True),
        sa.Column("renewal", sa.Text(), nullable=True),
        sa.Column("choice", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("(plan IS NULL) <> (credits IS NULL)", name=op.f("ck_checkouts_bought")),
        sa.CheckConstraint(
            "plan IN ('starter', 'pro', 'enterprise')", name=op.f("ck_checkouts_plan")
        ),
        sa.CheckConstraint("credits > 0", name=op.f("ck_checkouts_credits")),
        sa.CheckConstraint("amount >= 0", name=op.f("ck_checkouts_amount")),
        sa.CheckConstraint(
            "state IN ('asked', 'open', 'pending', 'paid', 'failed')",
            name=op.f("ck_checkouts_state"),
        ),
        sa.CheckConstraint(
            "renewal IN ('active', 'replaced', 'ended')", name=op.f("ck_checkouts_renewal")
        ),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_checkouts_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_checkouts")),
    )
    op.create_index(
        "uq_checkouts_active",
        "checkouts",
        ["client_id"],
        unique=True,
        postgresql_where=sa.text("renewal = 'active'"),
    )
    op.create_table(
        "payment_events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=True),
        sa.Column("checkout_id", sa.Text(), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('applied', 'noted', 'people')", name=op.f("ck_payment_events_state")
        ),
        sa.CheckConstraint(
            "(state = 'people') = (problem IS NOT NULL)", name=op.f("ck_payment_events_problem")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_events")),
    )
    op.create_index(op.f("ix_payment_events_client_id"), "payment_events", ["client_id"])
    op.create_index(
        "ix_payment_events_people",
        "payment_events",
        ["received_at"],
        postgresql_where=sa.text("state = 'people'"),
    )
    tenancy.protect("checkouts")
    # Some events do not belong to a client, so events are visible only to transactions that span
    # clients.
    tenancy.protect("payment_events", tenant_column=None)


def downgrade() -> None:
    for table in ("payment_events", "checkouts"):
        tenancy.unprotect(table)
        op.drop_table(table)
