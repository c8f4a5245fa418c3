"""The table of erasure certificates."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from store.core.schema import json, metadata, text, time

# A record of what an erasure removed. The record contains no personal data and outlives the client.
# `subject_digest`: the digest of the customer's address, by which the certificate can be found.
erasures: Final = sa.Table(
    "erasures",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("client_id"),
    text("scope"),
    sa.Column("subject_digest", sa.LargeBinary, nullable=True),
    text("requested_by"),
    json("removed", "{}"),
    # The client's usage and credits when the erasure started, if the whole client is erased.
    sa.Column("standing", JSONB, nullable=True),
    time("started_at"),
    time("finished_at", nullable=True),
    sa.CheckConstraint("scope IN ('tenant', 'customer')", name="scope"),
    sa.CheckConstraint("(scope = 'customer') = (subject_digest IS NOT NULL)", name="subject"),
    sa.Index(None, "client_id"),
)
