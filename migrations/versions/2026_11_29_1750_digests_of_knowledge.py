"""store the digest of each knowledge entry

The sweep computes the digests of existing entries, a few at a time.

Revision: 2b8e61d4f7a3
Follows: c93a50f7b1d8
"""

import sqlalchemy as sa
from alembic import op

revision = "2b8e61d4f7a3"
down_revision = "c93a50f7b1d8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("knowledge_entries", sa.Column("digest", sa.LargeBinary, nullable=True))


def downgrade() -> None:
    op.drop_column("knowledge_entries", "digest")
