"""add business hours to clients' settings

Revision: 4b7c1d90e2a6
Follows: e7c3a81f46b2
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "4b7c1d90e2a6"
down_revision = "e7c3a81f46b2"
branch_labels = None
depends_on = None

_TABLE = "client_settings"


def upgrade() -> None:
    op.add_column(_TABLE, sa.Column("business_hours", JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column(_TABLE, "business_hours")
