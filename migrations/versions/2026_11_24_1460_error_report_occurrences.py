"""count the occurrences of an error report

Revision: 3f6a08d41c57
Follows: 3c8d41f7a590
"""

import sqlalchemy as sa
from alembic import op

revision = "3f6a08d41c57"
down_revision = "3c8d41f7a590"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "error_reports",
        sa.Column("occurrences", sa.Integer(), nullable=False, server_default="1"),
    )


def downgrade() -> None:
    op.drop_column("error_reports", "occurrences")
