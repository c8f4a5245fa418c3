"""add shared codes, valid in each ticket and widget session that requested a code for an address

Revision: 5c0de5a9d1e4
Follows: c4e81f9a27d6
"""

import sqlalchemy as sa
from alembic import op

revision = "5c0de5a9d1e4"
down_revision = "c4e81f9a27d6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("address_codes", "widget_codes"):
        op.add_column(
            table, sa.Column("is_shared", sa.Boolean, nullable=False, server_default=sa.false())
        )
    op.add_column("address_codes", sa.Column("requester", sa.Text, nullable=True))
    op.add_column("widget_codes", sa.Column("language", sa.Text, nullable=True))


def downgrade() -> None:
    op.drop_column("widget_codes", "language")
    op.drop_column("address_codes", "requester")
    for table in ("address_codes", "widget_codes"):
        op.drop_column(table, "is_shared")
