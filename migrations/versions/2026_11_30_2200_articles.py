"""import the articles of connected systems

Revision: d5b83c1f7a60
Follows: c1f0a7d45e92
"""

import sqlalchemy as sa
from alembic import op

revision = "d5b83c1f7a60"
down_revision = "c1f0a7d45e92"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("site_imports", sa.Column("integration_id", sa.Text(), nullable=True))
    op.add_column("site_pages", sa.Column("reference", sa.Text(), nullable=True))
    op.add_column("knowledge_entries", sa.Column("source_integration_id", sa.Text(), nullable=True))


def downgrade() -> None:
    op.execute("SET LOCAL ROLE engine_service")
    op.execute("DELETE FROM site_imports WHERE integration_id IS NOT NULL")
    op.execute("RESET ROLE")
    op.drop_column("knowledge_entries", "source_integration_id")
    op.drop_column("site_pages", "reference")
    op.drop_column("site_imports", "integration_id")
