"""add the indexes of refunds, messages and order facts by customer

This revision is separate, because the tables have rows.

Revision: 93b6ad20f7e5
Follows: 5e0d9b71c4a8
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "93b6ad20f7e5"
down_revision = "5e0d9b71c4a8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(
        "ix_action_ledger_customer",
        "action_ledger",
        ["client_id", "customer_key", "planned_at"],
        where=sa.text("customer_key IS NOT NULL AND amount IS NOT NULL"),
    )
    create_index(
        "ix_engine_messages_normalized",
        "engine_messages",
        ["client_id", "normalized_key", "created_at"],
        where=sa.text("direction = 'inbound' AND normalized_key IS NOT NULL"),
    )
    create_index(
        "ix_engine_messages_unindexed",
        "engine_messages",
        ["client_id", "id"],
        where=sa.text(
            "direction = 'inbound' AND normalized_key IS NULL AND conversation_id IS NOT NULL"
        ),
    )
    create_index(
        "ix_order_facts_customer_latest", "order_facts", ["client_id", "customer_key", "version"]
    )
    drop_index("ix_order_facts_customer")


def downgrade() -> None:
    create_index("ix_order_facts_customer", "order_facts", ["client_id", "customer_key"])
    drop_index("ix_order_facts_customer_latest")
    drop_index("ix_engine_messages_unindexed")
    drop_index("ix_engine_messages_normalized")
    drop_index("ix_action_ledger_customer")
