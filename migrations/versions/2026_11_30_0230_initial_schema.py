"""create the initial schema

Revision: 5e90b7c2d1f4
Follows:
"""

import re
from pathlib import Path

from alembic import op

from migrations.tenancy import APP, SERVICE, make_roles, protect

revision = "5e90b7c2d1f4"
down_revision = None
branch_labels = None
depends_on = None

_SCHEMA = (Path(__file__).parents[1] / "initial_schema.sql").read_text()
_TABLES = re.findall(r"^CREATE (?:UNLOGGED )?TABLE public\.(\w+)", _SCHEMA, re.MULTILINE)
_FUNCTIONS = re.findall(r"^CREATE FUNCTION public\.(\w+)", _SCHEMA, re.MULTILINE)
# Tables of the whole installation. Code for one client does not read or write them.
_INSTALLATION = {
    "erasures",
    "error_reports",
    "installation_stops",
    "mail_counts",
    "model_spending",
    "oauth_clients",
    "payment_events",
    "rate_windows",
    "sessions",
    "sign_in_codes",
    "sign_in_links",
    "user_preferences",
    "users",
}
_RIGHTS = {
    "audit_anchors": "SELECT, INSERT",
    "audit_entries": "SELECT, INSERT",
    "audit_heads": "SELECT, INSERT, UPDATE",
}


def upgrade() -> None:
    make_roles()
    op.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    # The driver runs several statements at once only without parameters.
    op.get_bind().connection.cursor().execute(_SCHEMA)
    for table in _TABLES:
        column = "id" if table == "clients" else "client_id"
        protect(
            table,
            tenant_column=None if table in _INSTALLATION else column,
            rights=_RIGHTS.get(table, "SELECT, INSERT, UPDATE, DELETE"),
        )
    # A dump reads every table as this role.
    op.execute(f"GRANT SELECT ON alembic_version TO {SERVICE}")
    # The functions run as their owner, which may create objects only during this change.
    op.execute(f"GRANT CREATE ON SCHEMA public TO {SERVICE}")
    for function in _FUNCTIONS:
        if function != "refuse_change":
            op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
            op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {APP}")
            op.execute(f"ALTER FUNCTION {function} OWNER TO {SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {SERVICE}")


def downgrade() -> None:
    op.execute(f"DROP TABLE {', '.join(_TABLES)}")
    op.execute(f"DROP FUNCTION {', '.join(_FUNCTIONS)}")
    op.execute(f"REVOKE ALL ON alembic_version FROM {SERVICE}")
