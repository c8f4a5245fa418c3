"""limit the mail that an account can relay

Adds the platform that sent an event, and daily mail counts.

Revision: 3c8d41f7a590
Follows: b7c1d20e4a91
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import protect, unprotect

revision = "3c8d41f7a590"
down_revision = "b7c1d20e4a91"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("engine_events", sa.Column("received_by", sa.Text, nullable=True))
    op.create_table(
        "mail_counts",
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("sent", sa.Integer, nullable=False, server_default="0"),
        sa.Column("refused", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", "day", name=op.f("pk_mail_counts")),
    )
    op.create_index(op.f("ix_mail_counts_created_at"), "mail_counts", ["created_at"])
    protect("mail_counts", tenant_column=None)


def downgrade() -> None:
    unprotect("mail_counts")
    op.drop_table("mail_counts")
    op.drop_column("engine_events", "received_by")
