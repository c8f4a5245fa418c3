"""The tables of pages. None of them is exported: they hold what no result has come of yet."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, text, time

# Forms that had their effect, by the id that each rendering of a form has: sent again, it has none.
form_posts: Final = sa.Table(
    "form_posts",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("once", sa.Text, primary_key=True),
    text("user_id"),
    # Where it led; empty of one that showed a secret.
    text("location", nullable=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
)

page_drafts: Final = sa.Table(
    "page_drafts",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    # The path that the form is sent to.
    sa.Column("form", sa.Text, primary_key=True),
    json("fields", "{}"),
    sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False, index=True),
)

# A user's own, whatever the client.
user_preferences: Final = sa.Table(
    "user_preferences",
    metadata,
    sa.Column("user_id", sa.Text, primary_key=True),
    text("client_id", nullable=True),
    text("language", nullable=True),
    text("time_zone"),
    text("theme"),
    sa.Column("single_keys", sa.Boolean, nullable=False),
    time("updated_at"),
    sa.CheckConstraint("language IN ('fr', 'en')", name="language"),
    sa.CheckConstraint("theme IN ('auto', 'light', 'dark')", name="theme"),
)
