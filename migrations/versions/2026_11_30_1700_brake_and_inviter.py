"""keep the order number of an action, and the role of an inviting member

Revision: c47a90e5d218
Follows: 8d3fa1c64b07
"""

import sqlalchemy as sa
from alembic import op

revision = "c47a90e5d218"
down_revision = "8d3fa1c64b07"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("action_ledger", sa.Column("order_number", sa.Text(), nullable=True))
    op.add_column("invitations", sa.Column("inviter_role", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("invitations", "inviter_role")
    op.drop_column("action_ledger", "order_number")
