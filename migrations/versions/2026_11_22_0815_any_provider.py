"""allow any provider for a connection

A new provider needs no migration, because the code defines the providers
(`domain/integrations/integration.py`).

Revision: 3c51d7a9e0b2
Follows: fa5b03de268c
"""

from alembic import op

revision = "3c51d7a9e0b2"
down_revision = "fa5b03de268c"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_constraint(op.f("ck_integrations_provider"), "integrations", type_="check")


def downgrade() -> None:
    # The constraint is NOT VALID, so that existing rows are not checked. A connection to a newer
    # provider is kept. The older version of the service can end such a connection, but cannot
    # change it in any other way.
    op.create_check_constraint(
        op.f("ck_integrations_provider"),
        "integrations",
        "provider IN ('shopify', 'stripe', 'demo_shop', 'zendesk', 'gorgias') "
        "OR status = 'disconnected'",
        postgresql_not_valid=True,
    )
