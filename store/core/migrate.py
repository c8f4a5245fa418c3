"""Bring a database to the newest schema."""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from psycopg.errors import InsufficientPrivilege
from sqlalchemy.exc import ProgrammingError

from domain.core.errors import InvalidInput

_ALEMBIC_INI: Final = Path(__file__).resolve().parents[2] / "alembic.ini"


def alembic_config(database_url: str) -> Config:
    config = Config(str(_ALEMBIC_INI))
    # Alembic's ini values treat % as interpolation; a URL may hold it (percent-encoded paths).
    config.set_main_option("sqlalchemy.url", database_url.replace("%", "%%"))
    return config


def migrate(database_url: str) -> None:
    """Run what is missing; nothing if the schema is current. Two at once: the second waits.

    Raises InvalidInput for a database that another version made, and for a role without rights.
    """
    try:
        command.upgrade(alembic_config(database_url), "head")
    except CommandError as error:
        raise InvalidInput(
            f"the database was made by another version of this program ({error}); "
            "local data is deleted by `make reset`"
        ) from error
    except ProgrammingError as error:
        if not isinstance(error.orig, InsufficientPrivilege):
            raise
        raise InvalidInput(
            "DATABASE_URL's role may not change the schema: migrate as the tables' owner, with the "
            "roles engine_app and engine_service made before (docs/operations.md)"
        ) from error
