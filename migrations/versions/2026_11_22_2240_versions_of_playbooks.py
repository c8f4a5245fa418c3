"""add the author and the note of a playbook version

Revision: 7d2c91ab40e6
Follows: c4d7f20a91b8
"""

import sqlalchemy as sa
from alembic import op

revision = "7d2c91ab40e6"
down_revision = "c4d7f20a91b8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("playbook_versions", sa.Column("author", sa.Text(), nullable=True))
    op.add_column("playbook_versions", sa.Column("note", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("playbook_versions", "note")
    op.drop_column("playbook_versions", "author")
