"""The tables of playbooks and their versions."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, points_to, tenant_key, text, time

playbooks: Final = sa.Table(
    "playbooks",
    metadata,
    *tenant_key(),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    time("created_at"),
    # The time of deletion: the versions explain the runs that it answered.
    time("deleted_at", nullable=True),
    # For lookups by id alone.
    sa.Index(None, "id"),
)

playbook_versions: Final = sa.Table(
    "playbook_versions",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("playbook_id", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    text("name"),
    text("event_type"),
    sa.Column("threshold", sa.Double, nullable=False),
    json("rulebook", "{}"),
    time("created_at"),
    # The author, as an audit entry names them, and the note; unknown for older versions.
    text("author", nullable=True),
    text("note", nullable=True),
    # When it first answered events. Such a version may be published again without passing cases.
    time("live_at", nullable=True),
    points_to("playbooks", "playbook_id"),
    sa.CheckConstraint("threshold BETWEEN 0 AND 1", name="threshold"),
)
