"""add the indexes that find knowledge entries without embeddings

A separate revision, because the tables have rows.

Revision: 8f03c5a2e916
Follows: 2b8e61d4f7a3
"""

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "8f03c5a2e916"
down_revision = "2b8e61d4f7a3"
branch_labels = None
depends_on = None

_NAMES = (
    "ix_knowledge_entries_stale",
    "ix_knowledge_entries_no_digest",
    "ix_knowledge_chunks_first",
)


def upgrade() -> None:
    stale, missing, first = _NAMES
    create_index(stale, "knowledge_entries", ["client_id", "id", "digest"])
    create_index(missing, "knowledge_entries", ["client_id", "id"], where=sa.text("digest IS NULL"))
    create_index(
        first,
        "knowledge_chunks",
        ["client_id", "entry_id", "model", "digest"],
        where=sa.text("place = 0"),
    )


def downgrade() -> None:
    for name in _NAMES:
        drop_index(name)
