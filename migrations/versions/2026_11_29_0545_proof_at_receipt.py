"""record at receipt what an inbound webhook may prove

A stored webhook records whether a secret verified its request, and whether its endpoint was trusted
at that time to vouch for a customer's address. In webhooks that wait during the upgrade, the
customers' addresses are only claims.

Revision: 7e1b4d90c2a8
Follows: 5b0c9d7e61fa
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "7e1b4d90c2a8"
down_revision = "5b0c9d7e61fa"
branch_labels = None
depends_on = None

_TABLE = "inbound_webhooks"
_COLUMNS = ("is_signed", "vouches")
_ENDPOINT = """
CREATE FUNCTION inbound_endpoint(presented bytea, at timestamptz, ended_since timestamptz)
RETURNS TABLE (client_id text, integration_id text, provider text, sealed_secret text,
               sealed_previous_secret text, is_live boolean{more})
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT endpoint.client_id, endpoint.integration_id, integration.provider,
           endpoint.sealed_secret,
           CASE WHEN endpoint.previous_until > at THEN endpoint.sealed_previous_secret END,
           integration.status <> 'disconnected'{columns}
    FROM public.inbound_endpoints AS endpoint
    JOIN public.integrations AS integration
      ON integration.client_id = endpoint.client_id AND integration.id = endpoint.integration_id
    JOIN public.clients AS client
      ON client.id = endpoint.client_id AND client.closed_at IS NULL
    WHERE (endpoint.token_digest = presented
           OR (endpoint.previous_token_digest = presented AND endpoint.previous_until > at))
      AND (integration.status <> 'disconnected' OR integration.disconnected_at >= ended_since)
    LIMIT 1
$$
"""
_SIGNATURE = "inbound_endpoint(bytea, timestamptz, timestamptz)"


def _make_endpoint(*, more: str, columns: str) -> None:
    """Replace the function `inbound_endpoint`. It runs as its owner, which has CREATE on the schema
    only during this change."""
    op.execute(f"DROP FUNCTION {_SIGNATURE}")
    op.execute(_ENDPOINT.format(more=more, columns=columns))
    op.execute(f"REVOKE ALL ON FUNCTION {_SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {_SIGNATURE} TO {tenancy.APP}, {tenancy.SERVICE}")
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION {_SIGNATURE} OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column(
            _TABLE, sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False)
        )
    _make_endpoint(more=", vouches boolean", columns=", endpoint.vouches")


def downgrade() -> None:
    _make_endpoint(more="", columns="")
    for name in _COLUMNS:
        op.drop_column(_TABLE, name)
