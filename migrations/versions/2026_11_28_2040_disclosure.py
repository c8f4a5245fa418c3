"""add the AI disclosure to clients' settings

Revision: e5b92d7f0c14
Follows: 93b6ad20f7e5
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "e5b92d7f0c14"
down_revision = "93b6ad20f7e5"
branch_labels = None
depends_on = None

_TABLE = "client_settings"


def upgrade() -> None:
    op.add_column(
        _TABLE,
        sa.Column("disclosure", JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
    )
    op.add_column(
        _TABLE, sa.Column("disclosure_status", sa.Text(), server_default="on", nullable=False)
    )


def downgrade() -> None:
    for name in ("disclosure_status", "disclosure"):
        op.drop_column(_TABLE, name)
