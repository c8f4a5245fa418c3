"""The tables of saved cases and of their runs."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from store.core.schema import json, metadata, points_to, tenant_key, text, time

saved_cases: Final = sa.Table(
    "saved_cases",
    metadata,
    *tenant_key(),
    text("name"),
    json("scenario", "{}"),
    json("expected", "{}"),
    # Whether the case must pass before a playbook can be published.
    sa.Column("must", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("tries", sa.Integer, nullable=False, server_default="1"),
    sa.Column("pass_rate", sa.Double, nullable=False, server_default="1"),
    text("origin"),
    # The run from which the case was created. Erasing the run's customer erases the case too.
    text("run_id", nullable=True),
    text("created_by"),
    time("created_at"),
    time("updated_at", nullable=True),
    sa.UniqueConstraint("client_id", "name"),
    sa.CheckConstraint("tries BETWEEN 1 AND 10", name="tries"),
    sa.CheckConstraint("pass_rate > 0 AND pass_rate <= 1", name="pass_rate"),
    # This index serves lookups by case id without a client id.
    sa.Index(None, "id"),
)

# One row per run. A run executes all of a client's cases. `variant`: the content with which the
# cases are run.
case_runs: Final = sa.Table(
    "case_runs",
    metadata,
    *tenant_key(),
    json("variant", "{}"),
    text("state"),
    sa.Column("total", sa.Integer, nullable=False, server_default="0"),
    sa.Column("done", sa.Integer, nullable=False, server_default="0"),
    sa.Column("passed", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cost_micros", sa.BigInteger, nullable=False, server_default="0"),
    text("error_code", nullable=True),
    text("started_by"),
    time("created_at"),
    time("finished_at", nullable=True),
    sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="state"),
    sa.Index(
        "ix_case_runs_unfinished",
        "created_at",
        "id",
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    ),
    # This index serves lookups by run id without a client id.
    sa.Index(None, "id"),
)

# The result of one case in one run. `digest`: the digest of the playbook, content, model and case.
# The result is valid only for that digest. `before`: the case's outcome with the live content, if
# the run tests a change.
case_results: Final = sa.Table(
    "case_results",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("case_run_id", sa.Text, primary_key=True),
    sa.Column("case_id", sa.Text, primary_key=True),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("passed", sa.Boolean, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("passes", sa.Integer, nullable=False),
    json("unmet", "[]"),
    sa.Column("outcome", JSONB, nullable=False),
    sa.Column("before", JSONB, nullable=True),
    sa.Column("changed", sa.Boolean, nullable=False, server_default=sa.false()),
    time("created_at"),
    points_to("case_runs", "case_run_id", ondelete="CASCADE"),
    points_to("saved_cases", "case_id", ondelete="CASCADE"),
    # The publish gate uses this index to find the latest result of a case for a digest.
    sa.Index(None, "client_id", "case_id", "digest", "created_at"),
)
