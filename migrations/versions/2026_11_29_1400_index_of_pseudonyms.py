"""add an index on the pseudonyms of erased customers

Revision: e7c3a81f46b2
Follows: d10e5b7a93f4
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "e7c3a81f46b2"
down_revision = "d10e5b7a93f4"
branch_labels = None
depends_on = None

_NAME = "ix_action_ledger_pseudonyms"


def upgrade() -> None:
    create_index(
        _NAME, "action_ledger", ["planned_at"], where=sa.text("left(customer_key, 7) = 'erased:'")
    )


def downgrade() -> None:
    drop_index(_NAME)
