"""The table of connected shops and helpdesks."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import json, metadata, tenant_key, text, time

integrations: Final = sa.Table(
    "integrations",
    metadata,
    *tenant_key(),
    # One of `Provider`, or of what another version knows: no check, so that a new provider needs
    # no migration.
    text("provider"),
    text("status"),
    json("settings", "{}"),
    # Credentials, encrypted with SEAL_KEY; never in a log, never in an export.
    text("sealed"),
    text("error_code", nullable=True),
    time("connected_at"),
    time("disconnected_at", nullable=True),
    # One live connection a provider: whose shop is asked must never be a matter of luck.
    sa.Index(
        "ux_integrations_live",
        "client_id",
        "provider",
        unique=True,
        postgresql_where=sa.text("status <> 'disconnected'"),
    ),
    sa.CheckConstraint("status IN ('connected', 'disconnected', 'error')", name="status"),
)
