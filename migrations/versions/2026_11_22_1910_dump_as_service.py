"""include the schema version in dumps by engine_service, which sees every row

Revision: 5e8b1f0c27da
Follows: 5b8e02c61d47
"""

from alembic import op

from migrations import tenancy

revision = "5e8b1f0c27da"
down_revision = "5b8e02c61d47"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(f"GRANT SELECT ON alembic_version TO {tenancy.SERVICE}")


def downgrade() -> None:
    op.execute(f"REVOKE SELECT ON alembic_version FROM {tenancy.SERVICE}")  # noqa: S608 - ours
