"""add the index of customers

Lists and searches of customers read this index. The sweep fills the index from the stored messages,
page by page (`activities/customers/sweep_customers.py`). A single statement over all messages could
exceed a migration's time limit. A message also stores the customer's address from its normalized
event. Members can now make data requests, so a data request no longer needs a connection.

Revision: 5e0d9b71c4a8
Follows: 4d7e90b1c5f8
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "5e0d9b71c4a8"
down_revision = "4d7e90b1c5f8"
branch_labels = None
depends_on = None


def _text(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def upgrade() -> None:
    op.create_table(
        "customers",
        _text("client_id"),
        _text("id"),
        _text("key"),
        _text("name", nullable=True),
        sa.Column("is_verified", sa.Boolean(), nullable=False),
        _time("first_contact_at"),
        _time("last_contact_at"),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_customers_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_customers")),
        sa.UniqueConstraint("client_id", "key", name=op.f("uq_customers_client_id_key")),
    )
    op.create_index(
        op.f("ix_customers_client_id_last_contact_at_id"),
        "customers",
        ["client_id", "last_contact_at", "id"],
    )
    op.create_index(op.f("ix_customers_id"), "customers", ["id"])
    tenancy.protect("customers")
    _make_words()
    op.add_column("engine_messages", _text("normalized_key", nullable=True))
    op.alter_column("data_requests", "integration_id", nullable=True)


def _make_words() -> None:
    op.create_table(
        "customer_words",
        _text("client_id"),
        sa.Column("word", sa.Text(collation="C"), nullable=False),
        _text("customer_id"),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_customer_words_client_id")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "customer_id"],
            ["customers.client_id", "customers.id"],
            name=op.f("fk_customer_words_client_id_customer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("client_id", "word", "customer_id", name=op.f("pk_customer_words")),
    )
    op.create_index(
        op.f("ix_customer_words_client_id_customer_id_word"),
        "customer_words",
        ["client_id", "customer_id", "word"],
    )
    tenancy.protect("customer_words")


def downgrade() -> None:
    op.execute("SET LOCAL ROLE engine_service")
    op.execute("DELETE FROM data_requests WHERE integration_id IS NULL")
    op.execute("RESET ROLE")
    op.alter_column("data_requests", "integration_id", nullable=False)
    op.drop_column("engine_messages", "normalized_key")
    for table in ("customer_words", "customers"):
        tenancy.unprotect(table)
        op.drop_table(table)
