"""add the version of the decision whether an answer from knowledge is sent

Existing clients keep version 1, and new clients have version 2.

Revision: 6b0e93c5a7d4
Follows: d2f61a8c40e7
"""

import sqlalchemy as sa
from alembic import op

revision = "6b0e93c5a7d4"
down_revision = "d2f61a8c40e7"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The value is 1 in the rows of existing clients and 2 in new rows.
    op.add_column(
        "client_settings",
        sa.Column("answer_decision", sa.SmallInteger(), server_default="1", nullable=False),
    )
    op.alter_column("client_settings", "answer_decision", server_default="2")
    op.execute("SET LOCAL ROLE engine_service")
    op.execute(
        "INSERT INTO client_settings (client_id, updated_at, answer_decision) "
        "SELECT id, now(), 1 FROM clients WHERE closed_at IS NULL ON CONFLICT DO NOTHING"
    )
    op.execute("RESET ROLE")


def downgrade() -> None:
    op.drop_column("client_settings", "answer_decision")
