"""new clients use version 3 of the decision about answers from knowledge

Existing clients keep their version, so those without a row of settings receive one.

Revision: 7c41e0a9b2d8
Follows: d5b83c1f7a60
"""

from alembic import op

revision = "7c41e0a9b2d8"
down_revision = "d5b83c1f7a60"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL ROLE engine_service")
    op.execute("""
        INSERT INTO client_settings (client_id, answer_decision, updated_at)
        SELECT id, 2, created_at FROM clients
        ON CONFLICT (client_id) DO NOTHING
    """)
    op.execute("RESET ROLE")
    op.alter_column("client_settings", "answer_decision", server_default="3")


def downgrade() -> None:
    op.alter_column("client_settings", "answer_decision", server_default="2")
    op.execute("SET LOCAL ROLE engine_service")
    op.execute("UPDATE client_settings SET answer_decision = 2 WHERE answer_decision > 2")
    op.execute("RESET ROLE")
