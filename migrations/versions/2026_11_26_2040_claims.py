"""record whether a message's author has verified the address, for the limit per customer

Revision: 5b8e2d94f1c7
Follows: 5d0c7be1a934
"""

import sqlalchemy as sa
from alembic import op

revision = "5b8e2d94f1c7"
down_revision = "5d0c7be1a934"
branch_labels = None
depends_on = None

_TABLES = ("engine_messages", "inbound_webhooks")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(
            table, sa.Column("is_claim", sa.Boolean, nullable=False, server_default=sa.false())
        )


def downgrade() -> None:
    for table in _TABLES:
        op.drop_column(table, "is_claim")
