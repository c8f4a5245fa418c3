"""The tables of the audit log. None points to another: the log outlives clients and users."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, text, time

# Nobody changes or removes a row: roles may not, and a trigger keeps owners from it by mistake.
audit_entries: Final = sa.Table(
    "audit_entries",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    text("id"),
    time("at"),
    text("actor_kind"),
    text("actor"),
    text("login", nullable=True),
    text("network", nullable=True),
    text("what"),
    json("ids", "{}"),
    sa.Column("previous", sa.LargeBinary, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
)

# The last entry of each chain. Its row is locked last in a transaction.
audit_heads: Final = sa.Table(
    "audit_heads",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
)

# Where each chain that had moved stood once a day. A digest of the day's is in the log as well.
audit_anchors: Final = sa.Table(
    "audit_anchors",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Column("day", sa.Date, nullable=False),
    sa.Index(None, "day", "client_id", "seq"),
)
