"""mark credentials that are not allowed to vouch for an address yet

For API keys, inbound endpoint secrets and widget secrets, a column records whether they are allowed
to vouch for a customer's address. All existing credentials remain trusted.

Revision: c4b6e1f09a37
Follows: 5c0de5a9d1e4
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "c4b6e1f09a37"
down_revision = "5c0de5a9d1e4"
branch_labels = None
depends_on = None

_TABLES = ("api_keys", "inbound_endpoints", "widgets")
_ACTIVE_KEY = """
CREATE FUNCTION active_key(presented bytea)
RETURNS TABLE (id text, client_id text, scopes text[]{more})
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT id, client_id, scopes{columns} FROM public.api_keys WHERE digest = presented AND is_active
$$
"""


def _make_active_key(*, more: str, columns: str) -> None:
    """Replace the function `active_key`. It runs as its owner, which has CREATE on the schema only
    during this change."""
    op.execute("DROP FUNCTION active_key")
    op.execute(_ACTIVE_KEY.format(more=more, columns=columns))
    op.execute("REVOKE ALL ON FUNCTION active_key FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION active_key TO {tenancy.APP}")
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION active_key OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(
            table, sa.Column("vouches", sa.Boolean(), server_default=sa.true(), nullable=False)
        )
    op.add_column("widgets", sa.Column("secret_since", sa.DateTime(timezone=True), nullable=True))
    _make_active_key(more=", vouches boolean", columns=", vouches")


def downgrade() -> None:
    _make_active_key(more="", columns="")
    op.drop_column("widgets", "secret_since")
    for table in _TABLES:
        op.drop_column(table, "vouches")
