"""add simulation and learning

Adds saved cases and their runs, replays, corrections, labelled examples, shadow drafts and ratings.
Also adds columns to daily metrics and to playbook versions.

Revision: ec0b94d8b21a
Follows: d2f07b61a9c3
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import tenancy

revision = "ec0b94d8b21a"
down_revision = "d2f07b61a9c3"
branch_labels = None
depends_on = None

_TABLES = (
    "saved_cases",
    "case_runs",
    "case_results",
    "replays",
    "replay_changes",
    "corrections",
    "labelled_examples",
    "shadow_drafts",
    "ratings",
)
_FIGURES = (
    *("asked", "handled", "resolved", "resolved_alone", "reopened", "durable", "escalations"),
    *("rated", "satisfied", "rating_mean", "cost_micros", "latencies", "breakdown"),
)

# Every existing version may have answered events, because there was no publish gate before.
_LIVE = "UPDATE playbook_versions SET live_at = created_at WHERE live_at IS NULL"


def upgrade() -> None:
    op.create_table(
        "case_runs",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column(
            "variant",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("passed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed')", name=op.f("ck_case_runs_state")
        ),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_case_runs_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_case_runs")),
    )
    op.create_index(
        "ix_case_runs_unfinished",
        "case_runs",
        ["created_at", "id"],
        unique=False,
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.create_table(
        "labelled_examples",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("classification", sa.Text(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=True),
        sa.Column("labelled_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_labelled_examples_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_labelled_examples")),
        sa.UniqueConstraint(
            "client_id", "run_id", name=op.f("uq_labelled_examples_client_id_run_id")
        ),
    )
    op.create_table(
        "replays",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column(
            "variant",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("budget_micros", sa.BigInteger(), nullable=False),
        sa.Column("budget_s", sa.Integer(), nullable=False),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("examined", sa.Integer(), server_default="0", nullable=False),
        sa.Column("changed", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "tally",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("cost_micros", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("worked_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("stopped_because", sa.Text(), nullable=True),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'stopped', 'failed')",
            name=op.f("ck_replays_state"),
        ),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_replays_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_replays")),
    )
    op.create_index(
        "ix_replays_unfinished",
        "replays",
        ["created_at", "id"],
        unique=False,
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.create_table(
        "saved_cases",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "scenario",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column(
            "expected",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("must", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("tries", sa.Integer(), server_default="1", nullable=False),
        sa.Column("pass_rate", sa.Double(), server_default="1", nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "pass_rate > 0 AND pass_rate <= 1", name=op.f("ck_saved_cases_pass_rate")
        ),
        sa.CheckConstraint("tries BETWEEN 1 AND 10", name=op.f("ck_saved_cases_tries")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_saved_cases_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_saved_cases")),
        sa.UniqueConstraint("client_id", "name", name=op.f("uq_saved_cases_client_id_name")),
    )
    op.create_table(
        "case_results",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("case_run_id", sa.Text(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("passes", sa.Integer(), nullable=False),
        sa.Column(
            "unmet",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("outcome", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("changed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id", "case_id"],
            ["saved_cases.client_id", "saved_cases.id"],
            name=op.f("fk_case_results_client_id_case_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "case_run_id"],
            ["case_runs.client_id", "case_runs.id"],
            name=op.f("fk_case_results_client_id_case_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_case_results_client_id")
        ),
        sa.PrimaryKeyConstraint(
            "client_id", "case_run_id", "case_id", name=op.f("pk_case_results")
        ),
    )
    op.create_index(
        op.f("ix_case_results_client_id_case_id_digest_created_at"),
        "case_results",
        ["client_id", "case_id", "digest", "created_at"],
        unique=False,
    )
    op.create_table(
        "ratings",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("score", sa.SmallInteger(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("channel IN ('mail', 'widget')", name=op.f("ck_ratings_channel")),
        sa.CheckConstraint("score BETWEEN 1 AND 5", name=op.f("ck_ratings_score")),
        sa.ForeignKeyConstraint(
            ["client_id", "run_id"],
            ["engine_runs.client_id", "engine_runs.id"],
            name=op.f("fk_ratings_client_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"], name=op.f("fk_ratings_client_id")),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_ratings")),
        sa.UniqueConstraint("client_id", "run_id", name=op.f("uq_ratings_client_id_run_id")),
    )
    op.create_index(
        op.f("ix_ratings_client_id_created_at"),
        "ratings",
        ["client_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "replay_changes",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("replay_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("after", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id", "replay_id"],
            ["replays.client_id", "replays.id"],
            name=op.f("fk_replay_changes_client_id_replay_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "event_id"],
            ["engine_events.client_id", "engine_events.id"],
            name=op.f("fk_replay_changes_client_id_event_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_replay_changes_client_id")
        ),
        sa.PrimaryKeyConstraint(
            "client_id", "replay_id", "event_id", name=op.f("pk_replay_changes")
        ),
    )
    op.create_index(
        op.f("ix_replay_changes_client_id_event_id"),
        "replay_changes",
        ["client_id", "event_id"],
        unique=False,
    )
    op.create_table(
        "shadow_drafts",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("playbook_id", sa.Text(), nullable=False),
        sa.Column("playbook_version", sa.Integer(), nullable=False),
        sa.Column("classification", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column(
            "plan",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("sent", sa.Text(), nullable=True),
        sa.Column("comparison", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("compared_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id", "run_id"],
            ["engine_runs.client_id", "engine_runs.id"],
            name=op.f("fk_shadow_drafts_client_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_shadow_drafts_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "run_id", name=op.f("pk_shadow_drafts")),
    )
    op.create_index(
        "ix_shadow_drafts_playbook",
        "shadow_drafts",
        ["client_id", "playbook_id", "playbook_version", "created_at"],
        unique=False,
    )
    op.create_table(
        "corrections",
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("review_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("case_id", sa.Text(), nullable=True),
        sa.Column("content_kind", sa.Text(), nullable=True),
        sa.Column("content_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('edited', 'rejected')", name=op.f("ck_corrections_kind")),
        sa.CheckConstraint(
            "state IN ('open', 'accepted', 'dismissed')", name=op.f("ck_corrections_state")
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "review_id"],
            ["escalation_tickets.client_id", "escalation_tickets.id"],
            name=op.f("fk_corrections_client_id_review_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id", "run_id"],
            ["engine_runs.client_id", "engine_runs.id"],
            name=op.f("fk_corrections_client_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["clients.id"], name=op.f("fk_corrections_client_id")
        ),
        sa.PrimaryKeyConstraint("client_id", "id", name=op.f("pk_corrections")),
        sa.UniqueConstraint(
            "client_id", "review_id", name=op.f("uq_corrections_client_id_review_id")
        ),
    )
    op.create_index(
        op.f("ix_corrections_client_id_run_id"),
        "corrections",
        ["client_id", "run_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_corrections_client_id_state_created_at"),
        "corrections",
        ["client_id", "state", "created_at"],
        unique=False,
    )
    op.add_column(
        "client_settings",
        sa.Column("ask_rating", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    for name in ("asked", "handled", "resolved", "resolved_alone", "reopened", "durable"):
        op.add_column("metrics_daily", sa.Column(name, sa.Integer(), nullable=True))
    for name in ("escalations", "latencies", "breakdown"):
        op.add_column(
            "metrics_daily",
            sa.Column(
                name,
                postgresql.JSONB(astext_type=sa.Text()),
                server_default=sa.text("'{}'::jsonb"),
                nullable=False,
            ),
        )
    for name in ("rated", "satisfied"):
        op.add_column(
            "metrics_daily", sa.Column(name, sa.Integer(), server_default="0", nullable=False)
        )
    op.add_column("metrics_daily", sa.Column("rating_mean", sa.Double(), nullable=True))
    op.add_column(
        "metrics_daily",
        sa.Column("cost_micros", sa.BigInteger(), server_default="0", nullable=False),
    )
    op.add_column(
        "playbook_versions", sa.Column("live_at", sa.DateTime(timezone=True), nullable=True)
    )
    for table in _TABLES:
        tenancy.protect(table)
    op.execute(f"SET LOCAL ROLE {tenancy.SERVICE}")
    op.execute(_LIVE)
    op.execute("RESET ROLE")


def downgrade() -> None:
    for table in reversed(_TABLES):
        tenancy.unprotect(table)
    op.drop_column("playbook_versions", "live_at")
    for name in _FIGURES:
        op.drop_column("metrics_daily", name)
    op.drop_column("client_settings", "ask_rating")
    op.drop_index(op.f("ix_corrections_client_id_state_created_at"), table_name="corrections")
    op.drop_index(op.f("ix_corrections_client_id_run_id"), table_name="corrections")
    op.drop_table("corrections")
    op.drop_index(
        "ix_shadow_drafts_playbook",
        table_name="shadow_drafts",
    )
    op.drop_table("shadow_drafts")
    op.drop_index(op.f("ix_replay_changes_client_id_event_id"), table_name="replay_changes")
    op.drop_table("replay_changes")
    op.drop_index(op.f("ix_ratings_client_id_created_at"), table_name="ratings")
    op.drop_table("ratings")
    op.drop_index(
        op.f("ix_case_results_client_id_case_id_digest_created_at"), table_name="case_results"
    )
    op.drop_table("case_results")
    op.drop_table("saved_cases")
    op.drop_index(
        "ix_replays_unfinished",
        table_name="replays",
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.drop_table("replays")
    op.drop_table("labelled_examples")
    op.drop_index(
        "ix_case_runs_unfinished",
        table_name="case_runs",
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.drop_table("case_runs")
