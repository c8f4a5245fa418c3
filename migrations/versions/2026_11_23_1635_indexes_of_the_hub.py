"""add indexes for inbound webhooks to older tables

One index finds the agent's messages in a helpdesk ticket, for webhooks that echo these messages.
The other finds the connections to an account, for installation-wide webhooks.

Revision: d2f07b61a9c3
Follows: 7b1f9d04c2a6
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "d2f07b61a9c3"
down_revision = "7b1f9d04c2a6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(
        "ix_action_ledger_ticket",
        "action_ledger",
        ["client_id", "integration_id", "ticket_id"],
        where=sa.text("ticket_id IS NOT NULL"),
    )
    create_index(
        "ix_integrations_proved_account",
        "integrations",
        ["provider", "proved_account"],
        where=sa.text("proved_account IS NOT NULL"),
    )


def downgrade() -> None:
    drop_index("ix_integrations_proved_account")
    drop_index("ix_action_ledger_ticket")
