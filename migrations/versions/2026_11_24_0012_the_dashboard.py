"""add the dashboard

Adds processed forms, drafts, preferences, single-use sign-in links, and conversation takeovers.

Revision: 08486a9a736f
Follows: ec0b94d8b21a
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "08486a9a736f"
down_revision = "ec0b94d8b21a"
branch_labels = None
depends_on = None

_OF_CLIENTS = ("form_posts", "page_drafts")
_SPANNING = ("sign_in_links", "user_preferences")


def upgrade() -> None:
    op.create_table(
        "sign_in_links",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_sign_in_links")),
    )
    op.create_table(
        "user_preferences",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("theme", sa.Text(), nullable=False),
        sa.Column("single_keys", sa.Boolean(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("language IN ('fr', 'en')", name=op.f("ck_user_preferences_language")),
        sa.CheckConstraint(
            "theme IN ('auto', 'light', 'dark')", name=op.f("ck_user_preferences_theme")
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_user_preferences")),
    )
    op.create_table(
        "form_posts",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("once", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("location", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_form_posts_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "once", name=op.f("pk_form_posts")),
    )
    op.create_index(op.f("ix_form_posts_created_at"), "form_posts", ["created_at"], unique=False)
    op.create_table(
        "page_drafts",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column(
            "fields",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_page_drafts_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "user_id", "form", name=op.f("pk_page_drafts")),
    )
    op.create_index(op.f("ix_page_drafts_saved_at"), "page_drafts", ["saved_at"], unique=False)
    op.add_column("ai_conversations", sa.Column("taken_by", sa.Text(), nullable=True))
    op.add_column(
        "ai_conversations", sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True)
    )
    for table in _OF_CLIENTS:
        tenancy.protect(table)
    for table in _SPANNING:
        tenancy.protect(table, tenant_column=None)


def downgrade() -> None:
    for table in _OF_CLIENTS + _SPANNING:
        tenancy.unprotect(table)
    op.drop_column("ai_conversations", "taken_at")
    op.drop_column("ai_conversations", "taken_by")
    op.drop_index(op.f("ix_page_drafts_saved_at"), table_name="page_drafts")
    op.drop_table("page_drafts")
    op.drop_index(op.f("ix_form_posts_created_at"), table_name="form_posts")
    op.drop_table("form_posts")
    op.drop_table("user_preferences")
    op.drop_table("sign_in_links")
