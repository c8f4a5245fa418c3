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
    # When the playbook was deleted. Its versions are kept because they explain past runs.
    time("deleted_at", nullable=True),
    # This index serves lookups by playbook id without a client id.
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
    # The version's author, as named in audit entries, and the author's note. Null for older
    # versions.
    text("author", nullable=True),
    text("note", nullable=True),
    # When the version first answered events. Such a version may be published again even if saved
    # cases fail.
    time("live_at", nullable=True),
    # When the version last stopped answering events. Null if it never has.
    time("stopped_at", nullable=True),
    points_to("playbooks", "playbook_id"),
    sa.CheckConstraint("threshold BETWEEN 0 AND 1", name="threshold"),
)
