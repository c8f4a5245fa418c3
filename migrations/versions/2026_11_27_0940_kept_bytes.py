"""how long a webhook's body was before it was cut, and an index of those that need room

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
    op.create_index(
        "ix_inbound_webhooks_large",
        "inbound_webhooks",
        ["client_id"],
        postgresql_where=sa.text("octet_length(body) > 65536 AND state <> 'done'"),
    )


def downgrade() -> None:
    op.drop_index("ix_inbound_webhooks_large", "inbound_webhooks")
    op.drop_column("inbound_webhooks", "cut_from")
