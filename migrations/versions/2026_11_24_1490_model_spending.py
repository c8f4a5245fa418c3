"""add daily spending on language models

Stores two sums for each UTC day: over all clients, and over the clients without a paid plan.

Revision: 91b7e40d5c26
Follows: 3f6a08d41c57
"""

import sqlalchemy as sa
from alembic import op

from migrations import tenancy

revision = "91b7e40d5c26"
down_revision = "3f6a08d41c57"
branch_labels = None
depends_on = None

# The counters span clients. A client's transaction can add to them only through this function, and
# learns only whether the amount was added.
ADD_MODEL_SPENDING = """
CREATE FUNCTION add_model_spending(of_scope text, of_day date, amount bigint, ceiling bigint)
RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH added AS (
        INSERT INTO public.model_spending AS spending (scope, day, micros)
        SELECT of_scope, of_day, amount WHERE ceiling IS NULL OR amount <= ceiling
        ON CONFLICT (scope, day) DO UPDATE SET micros = spending.micros + excluded.micros
        WHERE ceiling IS NULL OR spending.micros + excluded.micros <= ceiling
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM added)
$$
"""


def upgrade() -> None:
    op.create_table(
        "model_spending",
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("micros", sa.BigInteger, nullable=False),
        sa.CheckConstraint(
            "scope IN ('trial', 'installation')", name=op.f("ck_model_spending_scope")
        ),
        sa.PrimaryKeyConstraint("scope", "day", name=op.f("pk_model_spending")),
    )
    tenancy.protect("model_spending", tenant_column=None)
    op.execute(ADD_MODEL_SPENDING)
    op.execute("REVOKE ALL ON FUNCTION add_model_spending FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION add_model_spending TO {tenancy.APP}")
    # The function runs as its owner. A new owner must have CREATE on the schema during the change.
    op.execute(f"GRANT CREATE ON SCHEMA public TO {tenancy.SERVICE}")
    op.execute(f"ALTER FUNCTION add_model_spending OWNER TO {tenancy.SERVICE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {tenancy.SERVICE}")


def downgrade() -> None:
    op.execute("DROP FUNCTION add_model_spending")
    tenancy.unprotect("model_spending")
    op.drop_table("model_spending")
