"""The table of events from the engine's first version."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, tenant_key, text, time

# Raw inbound events from the engine's first version. Only imports write to this table.
automation_events: Final = sa.Table(
    "automation_events",
    metadata,
    *tenant_key(),
    text("event_type"),
    text("source", nullable=True),
    text("status", nullable=True),
    text("customer_email", nullable=True),
    json("payload", "{}"),
    time("created_at"),
    sa.Index(None, "client_id", "created_at"),
)
