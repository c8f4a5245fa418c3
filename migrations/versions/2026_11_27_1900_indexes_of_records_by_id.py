"""add indexes on record ids

When a record's client is looked up, only the record's id is known. Without these indexes, each
lookup reads a whole index.

Revision: 8b5f2e07c4d9
Follows: b7c40e6a9d12
"""

from typing import Final

from migrations.online import create_index, drop_index

revision = "8b5f2e07c4d9"
down_revision = "b7c40e6a9d12"
branch_labels = None
depends_on = None

_TABLES: Final = (
    "ai_conversations",
    "api_keys",
    "attachments",
    "case_runs",
    "checkouts",
    "corrections",
    "data_requests",
    "engine_runs",
    "inbound_webhooks",
    "integrations",
    "invitations",
    "labelled_examples",
    "playbooks",
    "replays",
    "saved_cases",
)


def upgrade() -> None:
    for table in _TABLES:
        create_index(f"ix_{table}_id", table, ["id"])


def downgrade() -> None:
    for table in reversed(_TABLES):
        drop_index(f"ix_{table}_id")
