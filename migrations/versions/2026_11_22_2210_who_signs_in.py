"""add sign-in

Adds sessions, mailed codes and invitations. Also adds the creator, the scopes and the last use of
an API key.

Revision: 3f6a1d9c7e20
Follows: b81e0c64d2f7
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "3f6a1d9c7e20"
down_revision = "b81e0c64d2f7"
branch_labels = None
depends_on = None

_OF_A_KEY = ("created_by", "last_used_at", "last_used_from", "scopes", "user_id", "oauth_client_id")

_ACTIVE_KEY = """
CREATE FUNCTION active_key(presented bytea) RETURNS TABLE (id text, client_id text{more})
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT id, client_id{columns} FROM public.api_keys WHERE digest = presented AND is_active $$
"""


def _make_active_key(*, more: str, columns: str) -> None:
    """Replace the function `active_key`. It runs as its owner, as in the migration that created
    it."""
    op.execute("DROP FUNCTION active_key")
    op.execute(_ACTIVE_KEY.format(more=more, columns=columns))
    op.execute("REVOKE ALL ON FUNCTION active_key FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION active_key TO {tenancy.APP}")
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION active_key OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("family_digest", sa.LargeBinary(), nullable=True),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('browser', 'refresh')", name=op.f("ck_sessions_kind")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("digest", name=op.f("uq_sessions_digest")),
        sa.UniqueConstraint("family_digest", name=op.f("uq_sessions_family_digest")),
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"])
    op.create_table(
        "sign_in_codes",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_code", sa.Text(), nullable=True),
        sa.Column("brand_name", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("tries_left", sa.SmallInteger(), nullable=False),
        sa.Column("opens_account", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_codes")),
    )
    op.create_index(
        op.f("ix_sign_in_codes_email_created_at"), "sign_in_codes", ["email", "created_at"]
    )
    op.create_index(op.f("ix_sign_in_codes_created_at"), "sign_in_codes", ["created_at"])
    op.create_table(
        "invitations",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("invited_by", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "role IN ('admin', 'agent', 'viewer')", name=op.f("ck_invitations_role")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_invitations_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_invitations")),
    )
    op.create_index(op.f("ix_invitations_email"), "invitations", ["email"])
    tenancy.protect("sessions", tenant_column=None)
    tenancy.protect("sign_in_codes", tenant_column=None)
    tenancy.protect("invitations")
    op.add_column("api_keys", sa.Column("created_by", sa.Text(), nullable=True))
    op.add_column("api_keys", sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("api_keys", sa.Column("last_used_from", sa.Text(), nullable=True))
    op.add_column("api_keys", sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=True))
    op.add_column("api_keys", sa.Column("user_id", sa.Text(), nullable=True))
    op.add_column("api_keys", sa.Column("oauth_client_id", sa.Text(), nullable=True))
    _make_active_key(more=", scopes text[]", columns=", scopes")


def downgrade() -> None:
    _make_active_key(more="", columns="")
    for column in _OF_A_KEY:
        op.drop_column("api_keys", column)
    for table in ("invitations", "sign_in_codes", "sessions"):
        tenancy.unprotect(table)
        op.drop_table(table)
