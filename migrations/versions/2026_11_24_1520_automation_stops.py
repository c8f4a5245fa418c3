"""add stops of all automation, and answers from knowledge

Adds stops for a client and for the installation, and whether the embedded brain may send an answer
that it composes from knowledge. In existing accounts, a human still reviews those answers.

Revision: 5e19c7d0a3b8
Follows: 7d1f40a6c2b8
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "5e19c7d0a3b8"
down_revision = "7d1f40a6c2b8"
branch_labels = None
depends_on = None

# A query in a VOLATILE function has its own snapshot. It therefore sees what was committed while
# the function waited for the lock.
STOPPED = """
CREATE FUNCTION automation_stopped(tenant text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('automation', 0));
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('automation/' || tenant, 0));
    RETURN EXISTS (SELECT FROM public.installation_stops) OR EXISTS (
        SELECT FROM public.client_settings WHERE client_id = tenant AND stopped_at IS NOT NULL);
END $$
"""
# A client's transaction can see when the whole installation was stopped, but not by which user.
INSTALLATION = """
CREATE FUNCTION installation_stopped_at() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT stopped_at FROM public.installation_stops $$
"""
FUNCTIONS = ("automation_stopped(text)", "installation_stopped_at()")


def _make_functions() -> None:
    op.execute(STOPPED)
    op.execute(INSTALLATION)
    # The functions run as their owner. A new owner must have CREATE on the schema during the
    # change.
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    for function in FUNCTIONS:
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {tenancy.APP}, {tenancy.SERVICE}")
        op.execute(f"ALTER FUNCTION {function} OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def upgrade() -> None:
    op.create_table(
        "installation_stops",
        sa.Column("id", sa.Boolean(), nullable=False),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stopped_by", sa.Text(), nullable=False),
        sa.CheckConstraint("id", name=op.f("ck_installation_stops_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installation_stops")),
    )
    tenancy.protect("installation_stops", tenant_column=None)
    op.add_column(
        "client_settings", sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column("client_settings", sa.Column("stopped_by", sa.Text(), nullable=True))
    # The value is false in the rows of existing accounts and true in new rows.
    op.add_column(
        "client_settings",
        sa.Column(
            "answers_from_knowledge", sa.Boolean(), server_default=sa.false(), nullable=False
        ),
    )
    op.alter_column("client_settings", "answers_from_knowledge", server_default=sa.true())
    _make_functions()
    op.execute("SET LOCAL ROLE engine_service")
    op.execute(
        "INSERT INTO client_settings (client_id, updated_at, answers_from_knowledge) "
        "SELECT id, now(), false FROM clients WHERE closed_at IS NULL ON CONFLICT DO NOTHING"
    )
    op.execute("RESET ROLE")


def downgrade() -> None:
    for function in FUNCTIONS:
        op.execute(f"DROP FUNCTION {function}")
    op.drop_column("client_settings", "answers_from_knowledge")
    op.drop_column("client_settings", "stopped_by")
    op.drop_column("client_settings", "stopped_at")
    tenancy.unprotect("installation_stops")
    op.drop_table("installation_stops")
