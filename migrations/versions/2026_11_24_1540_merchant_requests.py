"""add order actions that a merchant's own system requests

Revision: 7d1f40a6c2b8
Follows: c4b6e1f09a37
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "7d1f40a6c2b8"
down_revision = "c4b6e1f09a37"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("engine_events", sa.Column("merchant_request", JSONB, nullable=True))


def downgrade() -> None:
    op.drop_column("engine_events", "merchant_request")
