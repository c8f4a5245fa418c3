"""add a client's style guidance to a language model

Revision: 8d3fa1c64b07
Follows: 5e90b7c2d1f4
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "8d3fa1c64b07"
down_revision = "5e90b7c2d1f4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "client_settings",
        sa.Column("guidance", JSONB(), nullable=False, server_default=sa.text("'{}'::jsonb")),
    )


def downgrade() -> None:
    op.drop_column("client_settings", "guidance")
