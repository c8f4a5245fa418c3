"""The tables of corrections, labelled examples, shadow drafts and clients' own classifier heads."""

from typing import Final

import sqlalchemy as sa
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects.postgresql import JSONB

from store.core.schema import json, metadata, points_to, tenant_key, text, time

# A review with an edited or rejected draft, kept until a member decides what the agent learns from
# it. The text is stored in the row of the review.
corrections: Final = sa.Table(
    "corrections",
    metadata,
    *tenant_key(),
    text("review_id"),
    text("run_id"),
    text("kind"),
    text("state"),
    text("decided_by", nullable=True),
    time("decided_at", nullable=True),
    # The case and the content created from the correction.
    text("case_id", nullable=True),
    text("content_kind", nullable=True),
    text("content_id", nullable=True),
    time("created_at"),
    points_to("escalation_tickets", "review_id", ondelete="CASCADE"),
    points_to("engine_runs", "run_id", ondelete="CASCADE"),
    sa.UniqueConstraint("client_id", "review_id"),
    sa.CheckConstraint("kind IN ('edited', 'rejected')", name="kind"),
    sa.CheckConstraint("state IN ('open', 'accepted', 'dismissed')", name="state"),
    sa.Index(None, "client_id", "state", "created_at"),
    sa.Index(None, "client_id", "run_id"),
    # This index serves lookups by correction id without a client id.
    sa.Index(None, "id"),
)

# A message that a member labelled with a category and an intent. The personal data in the message
# is replaced with placeholders.
labelled_examples: Final = sa.Table(
    "labelled_examples",
    metadata,
    *tenant_key(),
    # The run from which the example was created. Erasing the run's customer erases the example too.
    text("run_id", nullable=True),
    text("text"),
    # The text that a human agent sent, with personal data replaced, or NULL if it is unknown.
    text("answer", nullable=True),
    text("language"),
    text("classification"),
    text("intent", nullable=True),
    text("labelled_by"),
    time("created_at"),
    # The embedding of `text` and the model that computed it, or NULL until the sweep.
    sa.Column("embedding", VECTOR(), nullable=True),
    text("embedding_model", nullable=True),
    sa.UniqueConstraint("client_id", "run_id"),
    # This index serves lookups by example id without a client id.
    sa.Index(None, "id"),
)

# The hypothetical result of a playbook in shadow mode, and the human agents' actual result.
shadow_drafts: Final = sa.Table(
    "shadow_drafts",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("run_id", sa.Text, primary_key=True),
    text("playbook_id"),
    sa.Column("playbook_version", sa.Integer, nullable=False),
    text("classification"),
    sa.Column("confidence", sa.Double, nullable=False),
    # The escalation reason. Null if the agent would have answered without a review.
    text("reason", nullable=True),
    text("draft"),
    json("plan", "[]"),
    # The human agents' result: their decision, the text they sent, and its similarity to the draft.
    text("decision", nullable=True),
    text("sent", nullable=True),
    sa.Column("comparison", JSONB, nullable=True),
    time("created_at"),
    time("compared_at", nullable=True),
    points_to("engine_runs", "run_id", ondelete="CASCADE"),
    sa.Index(
        "ix_shadow_drafts_playbook", "client_id", "playbook_id", "playbook_version", "created_at"
    ),
)

# Versions of a client's own classifier head. Only the latest version has weights, and only while it
# is in use.
own_heads: Final = sa.Table(
    "own_heads",
    metadata,
    *tenant_key(),
    text("state"),
    # The fingerprint of the shared classifier to which the head belongs.
    text("model"),
    sa.Column("tickets", sa.Integer, nullable=False),
    sa.Column("won", sa.Integer, nullable=False),
    sa.Column("lost", sa.Integer, nullable=False),
    sa.Column("both_right", sa.Integer, nullable=False),
    sa.Column("weights", sa.LargeBinary, nullable=True),
    time("created_at"),
    sa.CheckConstraint("state IN ('used', 'no_better', 'too_few')", name="state"),
    sa.CheckConstraint("octet_length(weights) <= 51200", name="weights"),
)
