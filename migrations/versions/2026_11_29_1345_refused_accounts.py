"""do not route orders to a connection with rejected credentials

A connection remains the owner of its platform account after the platform has rejected its
credentials. Compliance requests that name the account are still routed to it. Other
installation-wide webhooks are routed to it again once the platform accepts the credentials.

Revision: b64f0d92e7c1
Follows: 9c4e7a25d1f3
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "b64f0d92e7c1"
down_revision = "9c4e7a25d1f3"
branch_labels = None
depends_on = None

_ACCOUNT = """
CREATE FUNCTION integrations_of_account(
    platform text, account text, ended_since timestamptz)
RETURNS TABLE (client_id text, integration_id text, is_live boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT integration.client_id, integration.id, integration.status <> 'disconnected'{accepted}
    FROM public.integrations AS integration
    JOIN public.clients AS client
      ON client.id = integration.client_id AND client.closed_at IS NULL
    WHERE integration.provider = platform AND integration.proved_account = account
      AND (integration.status <> 'disconnected' OR integration.disconnected_at >= ended_since)
$$
"""
_SIGNATURE = "integrations_of_account(text, text, timestamptz)"


def _make_account(*, accepted: str) -> None:
    """Replace the function `integrations_of_account`. It runs as its owner, which has CREATE on the
    schema only during this change."""
    op.execute(f"DROP FUNCTION {_SIGNATURE}")
    op.execute(_ACCOUNT.format(accepted=accepted))
    op.execute(f"REVOKE ALL ON FUNCTION {_SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {_SIGNATURE} TO {tenancy.APP}, {tenancy.SERVICE}")
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION {_SIGNATURE} OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def upgrade() -> None:
    op.add_column(
        "integrations", sa.Column("account_refused_at", sa.DateTime(timezone=True), nullable=True)
    )
    _make_account(accepted=" AND integration.account_refused_at IS NULL")
    op.execute(f"SET LOCAL ROLE {tenancy.SERVICE}")
    op.execute("UPDATE integrations SET account_refused_at = now() WHERE status = 'error'")
    op.execute("RESET ROLE")


def downgrade() -> None:
    _make_account(accepted="")
    op.drop_column("integrations", "account_refused_at")
