"""add authors of events, verified addresses, and changes that loosen protections

Adds the user who entered an event, and the time when a user verified the email address. Also adds
changes to playbooks and settings that require a second manager's approval.

Revision: 3d7a90c1e52b
Follows: 7a4e19c2d05b
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "3d7a90c1e52b"
down_revision = "7a4e19c2d05b"
branch_labels = None
depends_on = None


# Users do not belong to a client. A client's transaction can see users only through this function,
# which returns the client's own members.
MEMBERS = """
CREATE FUNCTION client_members() RETURNS TABLE (
    user_id text, email text, role text, verified_at timestamptz, joined_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT m.user_id, u.email,
           CASE WHEN c.owner_user_id = m.user_id THEN 'owner' ELSE m.role END,
           u.verified_at, m.created_at
    FROM public.client_users AS m
    JOIN public.users AS u ON u.id = m.user_id
    JOIN public.clients AS c ON c.id = m.client_id
    WHERE m.client_id = current_setting('app.client_id', true)
$$
"""


def _make_members() -> None:
    op.execute(MEMBERS)
    op.execute("REVOKE ALL ON FUNCTION client_members FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION client_members TO {tenancy.APP}")
    # The function runs as its owner. A new owner must have CREATE on the schema during the change.
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION client_members OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def upgrade() -> None:
    op.add_column("engine_events", sa.Column("author", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "clients", sa.Column("manager_left_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column(
        "client_settings",
        sa.Column("holds_loosening", sa.Boolean(), server_default=sa.true(), nullable=False),
    )
    op.create_table(
        "loosenings",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("change", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("differences", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("takes_effect_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("notified_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'applied', 'cancelled', 'failed')",
            name=op.f("ck_loosenings_state"),
        ),
        sa.CheckConstraint(
            "(state = 'pending') = (decided_at IS NULL)", name=op.f("ck_loosenings_decided")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_loosenings_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_loosenings")),
    )
    op.create_index(
        "ix_loosenings_due",
        "loosenings",
        ["takes_effect_at"],
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(
        "ix_loosenings_unnotified",
        "loosenings",
        ["created_at"],
        postgresql_where=sa.text("notified_at IS NULL"),
    )
    op.create_index(op.f("ix_loosenings_id"), "loosenings", ["id"])
    tenancy.protect("loosenings")
    _make_members()
    # A user with a session has entered a code that was mailed to the address.
    op.execute("SET LOCAL ROLE engine_service")
    op.execute(
        "UPDATE users SET verified_at = created_at WHERE EXISTS "
        "(SELECT FROM sessions WHERE sessions.user_id = users.id)"
    )
    op.execute("RESET ROLE")


def downgrade() -> None:
    op.execute("DROP FUNCTION client_members")
    tenancy.unprotect("loosenings")
    op.drop_table("loosenings")
    op.drop_column("client_settings", "holds_loosening")
    op.drop_column("clients", "manager_left_at")
    op.drop_column("users", "verified_at")
    op.drop_column("engine_events", "author")
