"""Tenant isolation in PostgreSQL: two roles, and row-level security on every table.

The service's connections use the `engine_app` role. It can read and write only the rows of the
client that `app.client_id` identifies in the transaction, and no rows if `app.client_id` is not
set. A transaction that spans clients (sweeper, operators, sign-in) switches to the `engine_service`
role, which cannot log in. Neither role is a superuser or owns the tables. Row-level security
applies to the owner too (FORCE).

Every migration that creates a table calls `protect` for it. A test checks all tables.
"""

from alembic import op

APP = "engine_app"
SERVICE = "engine_service"

_MINE = "{column} = current_setting('app.client_id', true)"


def make_roles() -> None:
    """Create both roles if the server does not have them. CREATEROLE is required only in that case.

    Roles belong to the whole server, so a migration of another database may have created them,
    possibly at the same time.
    """
    for role, login in ((SERVICE, "NOLOGIN"), (APP, "LOGIN")):
        op.execute(
            f"""DO $$ BEGIN
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
                    CREATE ROLE {role} {login} NOSUPERUSER NOBYPASSRLS;
                END IF;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
            END $$"""
        )
    # The membership does not inherit privileges. Code gets access across clients only with SET
    # LOCAL ROLE.
    op.execute(
        f"""DO $$ BEGIN
            IF NOT pg_has_role('{APP}', '{SERVICE}', 'SET') THEN
                GRANT {SERVICE} TO {APP} WITH INHERIT FALSE, SET TRUE;
            END IF;
            IF NOT pg_has_role('{APP}', 'SET') THEN
                GRANT {APP} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE;
            END IF;
            IF NOT pg_has_role('{SERVICE}', 'SET') THEN
                GRANT {SERVICE} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE;
            END IF;
        END $$"""
    )
    op.execute(f"GRANT USAGE ON SCHEMA public TO {APP}, {SERVICE}")


def protect(
    table: str,
    *,
    tenant_column: str | None = "client_id",
    rights: str = "SELECT, INSERT, UPDATE, DELETE",
) -> None:
    """Enable row-level security on a table. Without a `tenant_column`, only `engine_service` has
    access. `rights`: the privileges of both roles on the rows that they can see."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"GRANT {rights} ON {table} TO {SERVICE}")
    op.execute(f"CREATE POLICY service ON {table} TO {SERVICE} USING (true) WITH CHECK (true)")
    if tenant_column is not None:
        mine = _MINE.format(column=tenant_column)
        op.execute(f"GRANT {rights} ON {table} TO {APP}")
        op.execute(f"CREATE POLICY tenant ON {table} TO {APP} USING ({mine}) WITH CHECK ({mine})")


def unprotect(table: str) -> None:
    """Remove row-level security from a table, so that a migration can be reverted."""
    op.execute(f"DROP POLICY IF EXISTS tenant ON {table}")
    op.execute(f"DROP POLICY IF EXISTS service ON {table}")
    op.execute(f"REVOKE ALL ON {table} FROM {APP}, {SERVICE}")
    op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
