"""The table of customer ratings."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import metadata, points_to, tenant_key, text, time

ratings: Final = sa.Table(
    "ratings",
    metadata,
    *tenant_key(),
    text("run_id"),
    # The rating, from 1 (bad) to 5 (good).
    sa.Column("score", sa.SmallInteger, nullable=False),
    text("comment", nullable=True),
    text("channel"),
    time("created_at"),
    time("updated_at", nullable=True),
    points_to("engine_runs", "run_id", ondelete="CASCADE"),
    sa.UniqueConstraint("client_id", "run_id"),
    sa.CheckConstraint("score BETWEEN 1 AND 5", name="score"),
    sa.CheckConstraint("channel IN ('mail', 'widget')", name="channel"),
    sa.Index(None, "client_id", "created_at"),
)
