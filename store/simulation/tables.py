"""The tables of replays."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from store.core.schema import json, metadata, points_to, tenant_key, text, time

# A replay of past events. `variant`: the variant to use in the replay
# (`domain/simulation/variant.py`).
replays: Final = sa.Table(
    "replays",
    metadata,
    *tenant_key(),
    json("variant", "{}"),
    time("since"),
    time("until"),
    text("state"),
    # The replay's limits: the total cost of language models, and the working time.
    sa.Column("budget_micros", sa.BigInteger, nullable=False),
    sa.Column("budget_s", sa.Integer, nullable=False),
    # The last examined event. The replay continues after this event.
    text("place", nullable=True),
    sa.Column("total", sa.Integer, nullable=False, server_default="0"),
    sa.Column("examined", sa.Integer, nullable=False, server_default="0"),
    sa.Column("changed", sa.Integer, nullable=False, server_default="0"),
    json("tally", "{}"),
    sa.Column("cost_micros", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("worked_ms", sa.BigInteger, nullable=False, server_default="0"),
    # Why the replay ended before its last event.
    text("stopped_because", nullable=True),
    text("started_by"),
    time("created_at"),
    time("finished_at", nullable=True),
    sa.CheckConstraint("state IN ('queued', 'running', 'done', 'stopped', 'failed')", name="state"),
    sa.Index(
        "ix_replays_unfinished",
        "created_at",
        "id",
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    ),
    # This index serves lookups by replay id without a client id.
    sa.Index(None, "id"),
)

# An event whose outcome differs in the replay. Only `draft` contains text, and is erased with the
# customer's data. The key is the event because an event without a playbook has no run.
replay_changes: Final = sa.Table(
    "replay_changes",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("replay_id", sa.Text, primary_key=True),
    sa.Column("event_id", sa.Text, primary_key=True),
    text("kind"),
    sa.Column("before", JSONB, nullable=False),
    sa.Column("after", JSONB, nullable=False),
    text("draft"),
    points_to("replays", "replay_id", ondelete="CASCADE"),
    points_to("engine_events", "event_id", ondelete="CASCADE"),
    sa.Index(None, "client_id", "event_id"),
)
