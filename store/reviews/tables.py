"""The tables of reviews, of the inbox's saved views, and of members' email notifications."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, points_to, tenant_key, text, time

IS_OPEN: Final = "status IN ('pending', 'claimed')"
"""The SQL condition for an open review. Queries need exactly this condition to use the indexes of
open reviews."""

escalation_tickets: Final = sa.Table(
    "escalation_tickets",
    metadata,
    *tenant_key(),
    text("run_id"),
    # The run's conversation. Null for older reviews. Not a foreign key, because a conversation may
    # be erased while its reviews remain.
    text("conversation_id", nullable=True),
    sa.Column("round", sa.Integer, nullable=False),
    text("status"),
    text("reason"),
    text("draft"),
    json("plan", "[]"),
    text("claimed_by", nullable=True),
    time("claimed_at", nullable=True),
    # Whether two reviewers must approve because the plan exceeds a limit. The first approval is
    # stored while the second is pending.
    sa.Column("needs_second", sa.Boolean, nullable=False, server_default=sa.false()),
    text("first_approved_by", nullable=True),
    time("first_approved_at", nullable=True),
    # The largest amount of money in the plan.
    sa.Column("amount", sa.BigInteger, nullable=True),
    text("currency", nullable=True),
    text("decided_by", nullable=True),
    time("decided_at", nullable=True),
    text("decision", nullable=True),
    text("edited_text", nullable=True),
    # The reason for a rejection, for teammates.
    text("note", nullable=True),
    time("expires_at"),
    time("created_at"),
    time("taken_up_at", nullable=True),
    # The last message that joined the review. A decision request contains the last message that the
    # requester has seen, and is refused if another message has joined since.
    text("latest_event_id", nullable=True),
    # The number of times that the agent has revised the review. A decision request contains the
    # revision that the requester has seen, and is refused if the review has been revised since.
    sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
    # True if the review concerns a sensitive topic that is too urgent to wait in the queue
    # (`domain/agent/safety/net.py`).
    sa.Column("urgent", sa.Boolean, nullable=False, server_default=sa.false()),
    text("sensitive", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "round"),
    points_to("engine_runs", "run_id"),
    sa.CheckConstraint(
        "status IN ('pending', 'claimed', 'approved', 'edited', 'rejected', 'expired')",
        name="status",
    ),
    # The sweeper uses this index to find decisions that no workflow has taken up.
    sa.Index(
        "ix_escalation_tickets_untaken",
        "decided_at",
        postgresql_where=sa.text("decided_at IS NOT NULL AND taken_up_at IS NULL"),
    ),
    # The sweeper uses this index to find expired reviews.
    sa.Index(
        "ix_escalation_tickets_undecided",
        "expires_at",
        "id",
        postgresql_where=sa.text("decided_at IS NULL"),
    ),
    sa.Index(None, "client_id", "status", "created_at"),
    # The inbox uses the first index to list open reviews, urgent ones first and then the oldest. It
    # uses the second index to find the open reviews of a conversation.
    sa.Index(
        "ix_escalation_tickets_open",
        "client_id",
        "urgent",
        "created_at",
        "id",
        postgresql_where=sa.text(IS_OPEN),
    ),
    sa.Index(
        "ix_escalation_tickets_conversation",
        "client_id",
        "conversation_id",
        postgresql_where=sa.text(IS_OPEN),
    ),
    # The inbox lists the decided reviews, latest decision first.
    sa.Index(
        "ix_escalation_tickets_decided",
        "client_id",
        "decided_at",
        "id",
        postgresql_where=sa.text("decided_at IS NOT NULL"),
    ),
    # This index serves lookups by review id without a client id.
    sa.Index(None, "id"),
)

# The inbox's filters that members saved under a name.
inbox_views: Final = sa.Table(
    "inbox_views",
    metadata,
    *tenant_key(),
    text("name"),
    json("filters", "{}"),
    text("created_by"),
    time("created_at"),
    time("updated_at"),
    # This index serves lookups by view id without a client id.
    sa.Index(None, "id"),
)

# The email notifications that a member chose for a client. A member without a row gets none.
member_notifications: Final = sa.Table(
    "member_notifications",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    text("mode"),
    sa.Column("digest_hour", sa.SmallInteger, nullable=False),
    # The language of the page on which the member chose. A language preference takes precedence.
    text("language", nullable=True),
    # The local day of the latest digest. It never decreases, so no day has two digests.
    sa.Column("digest_day", sa.Date, nullable=True),
    # When the next digest may be due. Null unless the member chose digests.
    time("digest_due_at", nullable=True),
    # When the member last changed the choice.
    time("updated_at"),
    sa.CheckConstraint("mode IN ('none', 'at_once', 'digest')", name="mode"),
    sa.CheckConstraint("digest_hour BETWEEN 0 AND 23", name="digest_hour"),
    sa.Index(
        "ix_member_notifications_due",
        "digest_due_at",
        postgresql_where=sa.text("digest_due_at IS NOT NULL"),
    ),
)

# The tickets that members are notified about by email. The key ensures that a member is notified
# only once of each review.
member_notices: Final = sa.Table(
    "member_notices",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    # The id of the review or conversation. Not a foreign key, because the conversation may be
    # erased.
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    # The email that reports the ticket. Null until the email is prepared.
    text("mail_id", nullable=True),
    sa.CheckConstraint("kind IN ('review', 'assigned')", name="kind"),
    sa.Index(
        "ix_member_notices_pending",
        "client_id",
        "user_id",
        postgresql_where=sa.text("mail_id IS NULL"),
    ),
    sa.Index(None, "client_id", "mail_id"),
)

# The emails to members, each prepared in a transaction before it is sent.
member_mails: Final = sa.Table(
    "member_mails",
    metadata,
    *tenant_key(),
    text("user_id"),
    # The local day of a digest. Null for an email about single tickets.
    sa.Column("digest_day", sa.Date, nullable=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    # When the email was sent or discarded.
    time("ended_at", nullable=True),
    text("outcome", nullable=True),
    sa.UniqueConstraint("client_id", "user_id", "digest_day"),
    sa.CheckConstraint("outcome IN ('sent', 'failed', 'obsolete')", name="outcome"),
    sa.CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended"),
    sa.Index(None, "client_id", "user_id", "created_at"),
    sa.Index("ix_member_mails_unsent", "created_at", postgresql_where=sa.text("ended_at IS NULL")),
)
