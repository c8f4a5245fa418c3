"""add an index on webhooks by kind

Revision: 2f8c6a1d70be
Follows: 7e1b4d90c2a8
"""

from migrations.online import create_index, drop_index

revision = "2f8c6a1d70be"
down_revision = "7e1b4d90c2a8"
branch_labels = None
depends_on = None

_NAME = "ix_inbound_webhooks_client_id_kind_id"


def upgrade() -> None:
    create_index(_NAME, "inbound_webhooks", ["client_id", "kind", "id"])


def downgrade() -> None:
    drop_index(_NAME)
