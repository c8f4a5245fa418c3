"""The tables of the audit log. They have no foreign keys, because the log outlives clients and
users."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, text, time

# Rows are never changed or removed. The service's roles lack the privilege to do so, and a trigger
# prevents accidental changes by the tables' owner.
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

# The last entry in each chain. A transaction takes the lock on this row after all of its other
# locks, which prevents deadlocks.
audit_heads: Final = sa.Table(
    "audit_heads",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
)

# The head of each chain that has grown, recorded once a day. The application log also contains a
# digest of each day's checkpoints.
audit_anchors: Final = sa.Table(
    "audit_anchors",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Column("day", sa.Date, nullable=False),
    sa.Index(None, "day", "client_id", "seq"),
)
