"""The tables whose rows do not belong to a client."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, text

# Server-side errors, for operators without an error tracker. They contain no customer text.
error_reports: Final = sa.Table(
    "error_reports",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("request_id", nullable=True),
    text("client_id", nullable=True),
    text("event_id", nullable=True),
    text("place"),
    text("code"),
    json("exception", "[]"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    sa.Column("occurrences", sa.Integer, nullable=False, server_default="1"),
)

# Daily spending on language models (UTC), in millionths of a US dollar. `scope`: `installation` for
# all clients together, or `trial` for the clients without a paid plan. The amounts include
# reservations for calls in progress.
model_spending: Final = sa.Table(
    "model_spending",
    metadata,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("micros", sa.BigInteger, nullable=False),
    sa.CheckConstraint("scope IN ('trial', 'installation')", name="scope"),
)
