"""The tables used by the dashboard's pages. They are not exported, because they contain only drafts
and the state of the user interface."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, text, time

# Forms that have taken effect, by the id of each rendering of a form. A form that is submitted
# twice takes effect only once.
form_posts: Final = sa.Table(
    "form_posts",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("once", sa.Text, primary_key=True),
    text("user_id"),
    # The path to which a repeated post is redirected. The path is null if the response showed a
    # secret.
    text("location", nullable=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
)

page_drafts: Final = sa.Table(
    "page_drafts",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    # The path to which the form is posted.
    sa.Column("form", sa.Text, primary_key=True),
    json("fields", "{}"),
    sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False, index=True),
)

# A user's preferences. They apply to all of the user's clients.
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

# Members' visits to Home. They determine the period that Home reports as "since you left".
home_visits: Final = sa.Table(
    "home_visits",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    time("seen_at"),
    # The time at which the previous visit ended, or null during the first visit.
    time("away_since", nullable=True),
)
