"""Changes of large tables while the service reads and writes them.

A change that takes a moment stands in the migration as Alembic wrote it: it waits a little for its
lock, and the migration is tried again (`store/core/migrate.py`). An index of a table that has rows
takes longer, and is built here, beside those who write.
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
    """Build an index in no transaction, so that nobody waits for it.

    A revision that builds one does nothing before: that would be committed, and be there already
    when the migration is run again. What a build that was broken off has left is built anew; an
    index that is whole stays. Raises RuntimeError if the revision has written already.
    """
    _refuse_what_is_before(name)
    with op.get_context().autocommit_block():
        # It waits until older transactions have ended, which takes as long as theirs.
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
    """The way back."""
    with op.get_context().autocommit_block():
        op.drop_index(name, postgresql_concurrently=True, if_exists=True)


def _refuse_what_is_before(name: str) -> None:
    written = sa.text("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")
    if op.get_bind().scalar(written):
        raise RuntimeError(f"{name} needs a revision of its own")


def _is_broken(name: str) -> bool:
    valid = sa.text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
    return op.get_bind().scalar(valid, {"name": name}) is False
