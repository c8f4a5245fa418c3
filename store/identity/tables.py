"""The tables of sign-in. Users come before any client is known: most of these span clients."""

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
    # Of what all refresh tokens of the session have in common, so that an old one is known.
    sa.Column("family_digest", sa.LargeBinary, nullable=True, unique=True),
    # Networks, not addresses, and the browser's own name: for the list of one's sessions.
    text("network"),
    text("agent"),
    time("created_at"),
    time("used_at"),
    time("ended_at", nullable=True),
    sa.CheckConstraint("kind IN ('browser', 'refresh')", name="kind"),
)

# A row for each code that was asked for, whether or not the address is known.
sign_in_codes: Final = sa.Table(
    "sign_in_codes",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    # As `domain/identity/address.py` writes it.
    text("email"),
    # Keyed: of a million codes each could be tried against a plain digest.
    sa.Column("digest", sa.LargeBinary, nullable=False),
    # The code itself, sealed, until it is mailed.
    text("sealed_code", nullable=True),
    text("brand_name", nullable=True),
    text("language"),
    # Of the network that asked for it; unknown of older codes.
    text("network", nullable=True),
    # A code beyond the limits is stored as refused: it is neither mailed nor valid.
    sa.Column("admitted", sa.Boolean, nullable=False, server_default=sa.true()),
    # Tries from the network that asked for it, and from all others.
    sa.Column("tries_left", sa.SmallInteger, nullable=False),
    sa.Column("tries_elsewhere", sa.SmallInteger, nullable=False, server_default="3"),
    # No longer written: accounts are counted as they are opened.
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
    # The user who invites.
    text("invited_by"),
    # Of its mail.
    text("language"),
    time("created_at"),
    time("expires_at"),
    time("accepted_at", nullable=True),
    time("withdrawn_at", nullable=True),
    time("declined_at", nullable=True),
    sa.CheckConstraint("role IN ('admin', 'agent', 'viewer')", name="role"),
    sa.Index(None, "email"),
)

# Clients that registered themselves; those with a metadata document leave no row.
oauth_clients: Final = sa.Table(
    "oauth_clients",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("name"),
    sa.Column("redirect_uris", sa.ARRAY(sa.Text), nullable=False),
    text("network"),
    time("created_at"),
    # When a user first consented. Those that nobody wanted are removed.
    time("used_at", nullable=True),
    sa.Index("ix_oauth_clients_unused", "created_at", postgresql_where=sa.text("used_at IS NULL")),
)

# One row a consent. Used ones are kept for a while: who presents one again has stolen it.
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
    # Without, all that a key may.
    sa.Column("scopes", sa.ARRAY(sa.Text), nullable=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    time("used_at", nullable=True),
    # The key that it was exchanged for.
    text("key_id", nullable=True),
)

# Links that sign in a user of an embedded stack, each once: `make run` prints one.
sign_in_links: Final = sa.Table(
    "sign_in_links",
    metadata,
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    text("user_id"),
    time("expires_at"),
    time("used_at", nullable=True),
)

# Codes that prove the addresses which the authors of tickets typed.
address_codes: Final = sa.Table(
    "address_codes",
    metadata,
    # The id is that of the run whose answer asks for the code.
    *tenant_key(),
    text("conversation_id"),
    # The event that is answered once the code is typed.
    text("question_id"),
    text("email"),
    # The author, as `requester_of` names it; unknown of older codes.
    text("requester", nullable=True),
    text("language"),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    # Until its mail is out.
    text("sealed_code", nullable=True),
    # Good in each place of the address where a code was held back.
    sa.Column("is_shared", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("tries_left", sa.SmallInteger, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    time("used_at", nullable=True),
    time("proved_at", nullable=True),
    points_to("ai_conversations", "conversation_id", ondelete="CASCADE"),
    sa.Index(None, "client_id", "email", "created_at"),
    sa.Index(None, "client_id", "conversation_id"),
)
