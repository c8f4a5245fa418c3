"""The sign-in tables. Most of them span clients because users exist before their client is
known."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import metadata, points_to, tenant_key, text, time

sessions: Final = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.id"), nullable=False, index=True),
    text("kind"),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    # The digest of the part shared by all refresh tokens of a session. With this digest, the
    # service finds the session of a refresh token that was already used.
    sa.Column("family_digest", sa.LargeBinary, nullable=True, unique=True),
    # The IP network and the browser name, for the user's list of sessions. IP addresses are not
    # stored.
    text("network"),
    text("agent"),
    time("created_at"),
    time("used_at"),
    time("ended_at", nullable=True),
    sa.CheckConstraint("kind IN ('browser', 'refresh')", name="kind"),
)

# One row per requested sign-in code, whether or not the address is known.
sign_in_codes: Final = sa.Table(
    "sign_in_codes",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    # The address is normalized by `domain/identity/address.py`.
    text("email"),
    # A keyed digest of the code. A plain digest could be reversed by hashing all one million codes.
    sa.Column("digest", sa.LargeBinary, nullable=False),
    # The sealed sign-in code, kept until its mail is sent.
    text("sealed_code", nullable=True),
    text("brand_name", nullable=True),
    text("language"),
    # The IP network from which the code was requested. Null for older codes.
    text("network", nullable=True),
    # Whether the code is within the limits. A code beyond the limits is neither sent nor valid.
    sa.Column("admitted", sa.Boolean, nullable=False, server_default=sa.true()),
    # The remaining attempts: from the requesting network, and from all other networks.
    sa.Column("tries_left", sa.SmallInteger, nullable=False),
    sa.Column("tries_elsewhere", sa.SmallInteger, nullable=False, server_default="3"),
    # This column is no longer written. Accounts are now counted when they are created.
    sa.Column("opens_account", sa.Boolean, nullable=False, server_default=sa.false()),
    time("created_at"),
    time("used_at", nullable=True),
    sa.Index(None, "email", "created_at"),
    sa.Index(None, "created_at"),
)

invitations: Final = sa.Table(
    "invitations",
    metadata,
    *tenant_key(),
    text("email"),
    text("role"),
    text("invited_by"),
    # NULL for an operator or internal admin, and in rows of earlier versions.
    text("inviter_role", nullable=True),
    text("language"),
    time("created_at"),
    time("expires_at"),
    time("accepted_at", nullable=True),
    time("withdrawn_at", nullable=True),
    time("declined_at", nullable=True),
    sa.CheckConstraint("role IN ('admin', 'agent', 'viewer')", name="role"),
    sa.Index(None, "email"),
    # This index serves lookups by invitation id without a client id.
    sa.Index(None, "id"),
)

# Dynamically registered OAuth clients. OAuth clients with a metadata document are not stored.
oauth_clients: Final = sa.Table(
    "oauth_clients",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("name"),
    sa.Column("redirect_uris", sa.ARRAY(sa.Text), nullable=False),
    text("network"),
    time("created_at"),
    # The time of the first user consent. A client without any consent is removed after a while.
    time("used_at", nullable=True),
    sa.Index("ix_oauth_clients_unused", "created_at", postgresql_where=sa.text("used_at IS NULL")),
)

# One row per consent. Used codes are kept for a while, to detect a second use, which means that the
# code was stolen.
oauth_codes: Final = sa.Table(
    "oauth_codes",
    metadata,
    *tenant_key(),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    text("user_id"),
    text("oauth_client_id"),
    text("label"),
    text("redirect_uri"),
    text("challenge"),
    # The granted scopes. Null grants all scopes that a key can have.
    sa.Column("scopes", sa.ARRAY(sa.Text), nullable=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    time("used_at", nullable=True),
    # The API key for which the code was exchanged.
    text("key_id", nullable=True),
)

# Single-use links that sign in a user of an embedded stack. `make run` prints such a link.
sign_in_links: Final = sa.Table(
    "sign_in_links",
    metadata,
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    text("user_id"),
    time("expires_at"),
    time("used_at", nullable=True),
)

# Codes that verify the email addresses of ticket authors.
address_codes: Final = sa.Table(
    "address_codes",
    metadata,
    # The id of the run whose answer asks the customer for the code.
    *tenant_key(),
    text("conversation_id"),
    # The event that is answered once the code is entered.
    text("question_id"),
    text("email"),
    # The author of the ticket, as returned by `requester_of`. Null for older codes.
    text("requester", nullable=True),
    text("language"),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    # The sealed code, kept until its mail is sent.
    text("sealed_code", nullable=True),
    # Whether the code is shared. A shared code is valid in every session or conversation in which a
    # code for the same address was withheld.
    sa.Column("is_shared", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("tries_left", sa.SmallInteger, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    time("used_at", nullable=True),
    time("proved_at", nullable=True),
    points_to("ai_conversations", "conversation_id", ondelete="CASCADE"),
    sa.Index(None, "client_id", "email", "created_at"),
    sa.Index(None, "client_id", "conversation_id"),
)
