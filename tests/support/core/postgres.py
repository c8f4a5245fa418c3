"""A real PostgreSQL for a run of tests, and a fresh database for each test that asks."""

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
    """The URL of the tables' owner, a superuser: for migrations and for looking behind the wall."""
    return url_as(url, "postgres")


# No test cuts the power. Then a database costs a fifth of the CPU and a twentieth of the time.
_NOT_DURABLE = ("fsync", "full_page_writes")


class PostgresServer:
    """Hands out databases copied from one that the real migrations made.

    `url` is the owner's. `user` tells the names of the test processes that share the server apart.
    """

    def __init__(self, url: str, *, user: str = "main") -> None:
        self.url = url
        self._url = make_url(url).set(drivername="postgresql")
        self._names = (f"test_{user}_{number}" for number in itertools.count())

    def prepare(self) -> None:
        """Make what databases are copied from: once, on a server that has just begun."""
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
        """The service's URL of a fresh database, dropped afterwards even if somebody is on it."""
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
            # Known only from the next start on. Exports under load and outages hold many at once.
            PostgresServer(first.owner_url).allow_connections(400)
        with EmbeddedPostgres(Path(folder) / "postgres") as server:
            made = PostgresServer(server.owner_url)
            made.prepare()
            yield made
