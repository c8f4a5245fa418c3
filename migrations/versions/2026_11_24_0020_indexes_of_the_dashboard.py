"""add indexes for the dashboard's lists

The indexes serve the filters and the order of the lists of runs and conversations.

Revision: 5b0d2c7e91fa
Follows: 08486a9a736f
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "5b0d2c7e91fa"
down_revision = "08486a9a736f"
branch_labels = None
depends_on = None

_RUNS = {
    "ix_engine_runs_client_id_status_id": "status",
    "ix_engine_runs_client_id_classification_id": "classification",
    "ix_engine_runs_client_id_playbook_id_id": "playbook_id",
    "ix_engine_runs_client_id_handoff_reason_id": "handoff_reason",
}
_LATEST = "ix_ai_conversations_client_id_last_message_at_id"
_PLACE = ["client_id", "last_message_at", "id"]
_FEW = {
    "ix_ai_conversations_taken": "taken_at IS NOT NULL",
    "ix_ai_conversations_critical": "is_critical",
}


def upgrade() -> None:
    for name, column in _RUNS.items():
        create_index(name, "engine_runs", ["client_id", column, "id"])
    create_index(_LATEST, "ai_conversations", _PLACE)
    for name, which in _FEW.items():
        create_index(name, "ai_conversations", _PLACE, where=sa.text(which))


def downgrade() -> None:
    for name in (*_RUNS, _LATEST, *_FEW):
        drop_index(name)
