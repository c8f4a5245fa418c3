"""add the human agent's answer and an embedding to labelled examples

Revision: a41d7e2b90c6
Follows: 7c41e0a9b2d8
"""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR

revision = "a41d7e2b90c6"
down_revision = "7c41e0a9b2d8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("labelled_examples", sa.Column("answer", sa.Text(), nullable=True))
    op.add_column("labelled_examples", sa.Column("embedding", VECTOR(), nullable=True))
    op.add_column("labelled_examples", sa.Column("embedding_model", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("labelled_examples", "embedding_model")
    op.drop_column("labelled_examples", "embedding")
    op.drop_column("labelled_examples", "answer")
