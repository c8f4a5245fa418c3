"""Changes to large tables while the service reads and writes them.

A short change is written in the migration as Alembic generates it. Such a migration waits for its
lock only for a short time, and is then retried (`store/core/migrate.py`). Building an index on a
table with rows takes longer, so this module builds it without blocking writers.
"""

import sqlalchemy as sa
from alembic import op


def create_index(
    name: str,
    table: str,
    columns: list[str],
    *,
    where: sa.TextClause | None = None,
    unique: bool = False,
) -> None:
    """Build an index outside a transaction, so that no other transaction waits for it.

    A revision that builds an index must not write anything before the build. Such a write would be
    committed, and would already exist when the migration is run again. If a build was interrupted,
    its invalid index is dropped and built again. A valid index is kept. Raises RuntimeError if the
    revision has already written something.
    """
    _refuse_what_is_before(name)
    with op.get_context().autocommit_block():
        # The build waits for all older transactions to end, so time limits are disabled.
        op.execute("SET lock_timeout = 0; SET statement_timeout = 0")
        if _is_broken(name):
            op.drop_index(name, postgresql_concurrently=True)
        op.create_index(
            name,
            table,
            columns,
            unique=unique,
            postgresql_where=where,
            postgresql_concurrently=True,
            if_not_exists=True,
        )
        op.execute("RESET lock_timeout; RESET statement_timeout")


def drop_index(name: str) -> None:
    """Drop the index outside a transaction."""
    with op.get_context().autocommit_block():
        op.drop_index(name, postgresql_concurrently=True, if_exists=True)


def _refuse_what_is_before(name: str) -> None:
    written = sa.text("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")
    if op.get_bind().scalar(written):
        raise RuntimeError(f"{name} needs a separate revision")


def _is_broken(name: str) -> bool:
    valid = sa.text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
    return op.get_bind().scalar(valid, {"name": name}) is False
