"""record answers to invitations, and the networks that request codes

Invitations can be declined. For each sign-in code, the table records the network that requested it,
whether the code is within the limits, and the attempts from other networks.

Revision: b7c1d20e4a91
Follows: 10a7d1c3e5f2
"""

import sqlalchemy as sa
from alembic import op

revision = "b7c1d20e4a91"
down_revision = "10a7d1c3e5f2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "invitations", sa.Column("declined_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column("sign_in_codes", sa.Column("network", sa.Text(), nullable=True))
    op.add_column(
        "sign_in_codes",
        sa.Column("admitted", sa.Boolean(), nullable=False, server_default=sa.true()),
    )
    op.add_column(
        "sign_in_codes",
        sa.Column("tries_elsewhere", sa.SmallInteger(), nullable=False, server_default="3"),
    )


def downgrade() -> None:
    op.drop_column("sign_in_codes", "tries_elsewhere")
    op.drop_column("sign_in_codes", "admitted")
    op.drop_column("sign_in_codes", "network")
    op.drop_column("invitations", "declined_at")
