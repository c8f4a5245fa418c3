"""Connect Alembic to the database at the URL that `store/core/migrate.py` sets."""

from alembic import context
from sqlalchemy import create_engine, pool

from store.core.database import psycopg_url
from store.metadata import metadata

# A migration that waits for a lock blocks other transactions that need the table. The migration
# therefore stops waiting before those transactions time out (2 s, `store/core/database.py`), and is
# retried. The wait is long enough for PostgreSQL to cancel an autovacuum of the table
# (deadlock_timeout, 1 s).
_LIMITS = "-c lock_timeout=1500ms -c statement_timeout=10min"


def run() -> None:
    """Migrate the database in Alembic's configuration. Each revision commits separately."""
    url = context.config.get_main_option("sqlalchemy.url")
    if url is None:
        raise RuntimeError("migrations run through `cli.py migrate`, which names the database")
    engine = create_engine(
        psycopg_url(url), poolclass=pool.NullPool, connect_args={"options": _LIMITS}
    )
    with engine.connect() as connection:
        # A completed revision stays applied if the next one fails.
        context.configure(
            connection=connection, target_metadata=metadata, transaction_per_migration=True
        )
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


run()
