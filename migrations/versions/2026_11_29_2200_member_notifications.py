"""add members' email notifications

Revision: f04d7b1e9a36
Follows: f60c2d8e91a3
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "f04d7b1e9a36"
down_revision = "f60c2d8e91a3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "member_notifications",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("digest_hour", sa.SmallInteger(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("digest_day", sa.Date(), nullable=True),
        sa.Column("digest_due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "mode IN ('none', 'at_once', 'digest')", name=op.f("ck_member_notifications_mode")
        ),
        sa.CheckConstraint(
            "digest_hour BETWEEN 0 AND 23", name=op.f("ck_member_notifications_digest_hour")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_member_notifications_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "user_id", name=op.f("pk_member_notifications")),
    )
    op.create_index(
        "ix_member_notifications_due",
        "member_notifications",
        ["digest_due_at"],
        postgresql_where=sa.text("digest_due_at IS NOT NULL"),
    )
    op.create_table(
        "member_notices",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("mail_id", sa.Text(), nullable=True),
        sa.CheckConstraint("kind IN ('review', 'assigned')", name=op.f("ck_member_notices_kind")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_member_notices_client_id")
        ),
        sa.PrimaryKeyConstraint(
            "client_id", "user_id", "kind", "subject", name=op.f("pk_member_notices")
        ),
    )
    op.create_index(op.f("ix_member_notices_created_at"), "member_notices", ["created_at"])
    op.create_index(
        "ix_member_notices_pending",
        "member_notices",
        ["client_id", "user_id"],
        postgresql_where=sa.text("mail_id IS NULL"),
    )
    op.create_index(
        op.f("ix_member_notices_client_id_mail_id"), "member_notices", ["client_id", "mail_id"]
    )
    op.create_table(
        "member_mails",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("digest_day", sa.Date(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('sent', 'failed', 'obsolete')", name=op.f("ck_member_mails_outcome")
        ),
        sa.CheckConstraint(
            "(ended_at IS NULL) = (outcome IS NULL)", name=op.f("ck_member_mails_ended")
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_member_mails_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_member_mails")),
        sa.UniqueConstraint(
            "client_id",
            "user_id",
            "digest_day",
            name=op.f("uq_member_mails_client_id_user_id_digest_day"),
        ),
    )
    op.create_index(op.f("ix_member_mails_created_at"), "member_mails", ["created_at"])
    op.create_index(
        op.f("ix_member_mails_client_id_user_id_created_at"),
        "member_mails",
        ["client_id", "user_id", "created_at"],
    )
    op.create_index(
        "ix_member_mails_unsent",
        "member_mails",
        ["created_at"],
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    tenancy.protect("member_notifications")
    tenancy.protect("member_notices")
    tenancy.protect("member_mails")


def downgrade() -> None:
    tenancy.unprotect("member_mails")
    tenancy.unprotect("member_notices")
    tenancy.unprotect("member_notifications")
    op.drop_table("member_mails")
    op.drop_table("member_notices")
    op.drop_table("member_notifications")
