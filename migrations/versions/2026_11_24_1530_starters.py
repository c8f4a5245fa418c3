"""add starter templates and the frame of answers

Starter templates are marked until the client edits them. Clients set the greeting and the sign-off
of answers.

Revision: 9d3f1a7c5e20
Follows: 91c4f7ab3e52
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "9d3f1a7c5e20"
down_revision = "91c4f7ab3e52"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "response_templates",
        sa.Column("is_starter", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.add_column(
        "client_settings",
        sa.Column("frame", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
    )


def downgrade() -> None:
    op.drop_column("client_settings", "frame")
    op.drop_column("response_templates", "is_starter")
