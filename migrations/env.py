"""How Alembic reaches the database: by the URL that `store/core/migrate.py` hands over."""

from alembic import context
from sqlalchemy import create_engine, pool, text

from store.core.database import psycopg_url
from store.metadata import metadata

# Two processes that start at once must not migrate twice. Any constant of our own does.
_MIGRATION_LOCK = 7_205_759_403_792_794


def run() -> None:
    url = context.config.get_main_option("sqlalchemy.url")
    if url is None:
        raise RuntimeError("migrations run through `cli.py migrate`, which names the database")
    engine = create_engine(psycopg_url(url), poolclass=pool.NullPool)
    with engine.connect() as connection:
        # A migration that cannot get its lock gives up instead of queueing all traffic behind it.
        connection.execute(text("SET lock_timeout = '5s'; SET statement_timeout = '10min'"))
        connection.execute(text(f"SELECT pg_advisory_lock({_MIGRATION_LOCK})"))
        connection.commit()
        context.configure(connection=connection, target_metadata=metadata)
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


run()
