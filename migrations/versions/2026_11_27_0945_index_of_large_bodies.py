"""add an index on unfinished webhooks with large bodies

Revision: 4e90d2b6c1a8
Follows: c3a81f5be724
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "4e90d2b6c1a8"
down_revision = "c3a81f5be724"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(
        "ix_inbound_webhooks_large",
        "inbound_webhooks",
        ["client_id"],
        where=sa.text("octet_length(body) > 65536 AND state <> 'done'"),
    )


def downgrade() -> None:
    drop_index("ix_inbound_webhooks_large")
