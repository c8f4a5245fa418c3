"""Migrate a database to the newest schema while the service is running."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import sqlalchemy as sa
import structlog
from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, LockNotAvailable
from sqlalchemy.exc import OperationalError, ProgrammingError
from tenacity import (
    Retrying,
    retry_if_exception,
    retry_if_result,
    stop_after_delay,
    wait_exponential,
    wait_fixed,
)

from domain.core.errors import EngineUnavailable, InvalidInput
from store.core.database import psycopg_url

_ALEMBIC_INI: Final = Path(__file__).resolve().parents[2] / "alembic.ini"
# Key of the advisory lock that keeps two processes from migrating concurrently. The value is
# arbitrary.
_MIGRATION_LOCK: Final = 7_205_759_403_792_794
# How long a schema change is retried while other transactions hold locks on its tables, in seconds.
# Between attempts, the requests that were queued behind the schema change can run.
_TRIED_FOR_S: Final = 600
_PAUSE: Final = wait_exponential(multiplier=0.5, max=10)

_log = structlog.get_logger(__name__)


def alembic_config(database_url: str) -> Config:
    """Return Alembic's configuration for a database."""
    config = Config(str(_ALEMBIC_INI))
    # Alembic interpolates % in its ini values, so each % in a percent-encoded URL is doubled.
    config.set_main_option("sqlalchemy.url", database_url.replace("%", "%%"))
    return config


def migrate(database_url: str) -> None:
    """Run the missing migrations. A concurrent call waits for the first. After a failure, the
    earlier ones are kept.

    Raises InvalidInput for a database of another version, or if the role lacks privileges. Raises
    EngineUnavailable if tables stay locked for longer than `_TRIED_FOR_S`.
    """
    try:
        with _alone(database_url):
            _upgrade(database_url)
    except CommandError as error:
        raise InvalidInput(
            f"the database was made by another version of this program ({error}): migrate a "
            "database from before 0.9.0 with the last version before 0.9.0 first; local data is "
            "deleted by `make reset`"
        ) from error
    except ProgrammingError as error:
        if not isinstance(error.orig, InsufficientPrivilege):
            raise
        raise InvalidInput(
            "DATABASE_URL's role may not change the schema: migrate as the tables' owner, with the "
            "roles engine_app and engine_service made before (docs/operations.md)"
        ) from error
    except OperationalError as error:
        if not _is_held(error):
            raise
        raise EngineUnavailable(
            "others hold the tables for long: end their transactions, and migrate again"
        ) from error


def _upgrade(database_url: str) -> None:
    tries = Retrying(
        retry=retry_if_exception(_is_held),
        wait=_PAUSE,
        stop=stop_after_delay(_TRIED_FOR_S),
        reraise=True,
    )
    tries(command.upgrade, alembic_config(database_url), "head")


def _is_held(error: BaseException) -> bool:
    """Return True if the error means that a schema change did not get its lock in time."""
    held = LockNotAvailable | DeadlockDetected
    return isinstance(error, OperationalError) and isinstance(error.orig, held)


@contextmanager
def _alone(database_url: str) -> Iterator[None]:
    """Hold this database's migration lock, an advisory lock of a separate connection, while the
    block runs.

    Waiting processes poll. A blocking statement could deadlock with a concurrent index build, which
    waits for every running statement.
    """
    engine = sa.create_engine(
        psycopg_url(database_url), poolclass=sa.NullPool, isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        ask = sa.select(sa.func.pg_try_advisory_lock(_MIGRATION_LOCK))
        if not connection.scalar(ask):
            _log.warning("another migration is running: waiting for it to finish")
            until = Retrying(retry=retry_if_result(lambda got: not got), wait=wait_fixed(0.2))
            until(connection.scalar, ask)
        yield
    engine.dispose()
