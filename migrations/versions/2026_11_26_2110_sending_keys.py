"""record the API key that sent an event

The key's creator is not allowed to approve the event's review.

Revision: 91c4f7ab3e52
Follows: 5b8e2d94f1c7
"""

import sqlalchemy as sa
from alembic import op

revision = "91c4f7ab3e52"
down_revision = "5b8e2d94f1c7"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("engine_events", sa.Column("key_id", sa.Text, nullable=True))


def downgrade() -> None:
    op.drop_column("engine_events", "key_id")
