"""A real PostgreSQL for a test run, and a new database for each test that needs one."""

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from embedded.postgres import EmbeddedPostgres, url_as
from store.core.database import APP_ROLE
from store.core.migrate import migrate


def as_owner(url: str) -> str:
    """Return the URL of the tables' owner, a superuser, for migrations and unrestricted reads."""
    return url_as(url, "postgres")


# No test simulates a power failure. Without fsync, a database needs a fifth of the CPU time and a
# twentieth of the time.
_NOT_DURABLE = ("fsync", "full_page_writes")


class PostgresServer:
    """A PostgreSQL server with databases copied from a migrated template.

    `url` is the owner's. `user` distinguishes test processes that share the server.
    """

    def __init__(self, url: str, *, user: str = "main") -> None:
        self.url = url
        self._url = make_url(url).set(drivername="postgresql")
        self._names = (f"test_{user}_{number}" for number in itertools.count())

    def prepare(self) -> None:
        """Create the template database, once, on a new server."""
        for setting in _NOT_DURABLE:
            self._execute(f"ALTER SYSTEM SET {setting} = off")
        self._execute("SELECT pg_reload_conf()")
        self._execute("CREATE DATABASE template_engine")
        migrate(self._url_of("template_engine"))

    def allow_connections(self, number: int) -> None:
        self._execute(f"ALTER SYSTEM SET max_connections = {number}")

    def _url_of(self, name: str) -> str:
        return self._url.set(database=name).render_as_string(hide_password=False)

    @contextmanager
    def database(self) -> Iterator[str]:
        """Create a new database, and yield the service's URL. The database is dropped afterwards,
        even if connections are open."""
        name = next(self._names)
        self._execute(f"CREATE DATABASE {name} TEMPLATE template_engine STRATEGY file_copy")
        try:
            yield url_as(self._url_of(name), APP_ROLE)
        finally:
            self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(
            self._url.render_as_string(hide_password=False), autocommit=True
        ) as connection:
            connection.execute(statement)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with EmbeddedPostgres(Path(folder) / "postgres") as first:
            # The setting takes effect at the next start. Exports under load and outages hold many
            # connections concurrently.
            PostgresServer(first.owner_url).allow_connections(400)
        with EmbeddedPostgres(Path(folder) / "postgres") as server:
            made = PostgresServer(server.owner_url)
            made.prepare()
            yield made
