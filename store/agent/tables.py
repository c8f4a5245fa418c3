"""The tables of the language models that the agent uses."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import metadata, points_to, text, time

# Problems with language models that require a person's action. A row is kept after its end, so that
# the next problem of the same kind is not reported by email again at once.
model_alarms: Final = sa.Table(
    "model_alarms",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("fault", sa.Text, primary_key=True),
    time("since"),
    time("ended_at", nullable=True),
    time("mailed_at", nullable=True),
)

# The responses of a language model to a run in progress, by a digest of the request.
model_calls: Final = sa.Table(
    "model_calls",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    text("response"),
    time("created_at"),
    points_to("engine_runs", "run_id", ondelete="CASCADE"),
)
