"""record the length of a webhook's body before truncation

Revision: c3a81f5be724
Follows: 9d3f1a7c5e20
"""

import sqlalchemy as sa
from alembic import op

revision = "c3a81f5be724"
down_revision = "9d3f1a7c5e20"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbound_webhooks", sa.Column("cut_from", sa.Integer, nullable=True))


def downgrade() -> None:
    op.drop_column("inbound_webhooks", "cut_from")
