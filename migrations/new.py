"""Generate a migration from `store/` with Alembic: python -m migrations.new "what it does".

The command compares the tables in `store/` with a temporary database to which all migrations have
been applied.
"""

import sys
import tempfile
from pathlib import Path

from alembic import command

from embedded.postgres import EmbeddedPostgres
from store.core.migrate import alembic_config, migrate


def main(what_it_does: str) -> None:
    """Generate a migration from the difference between the tables in `store/` and a migrated
    database."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        EmbeddedPostgres(Path(folder) / "postgres") as server,
    ):
        migrate(server.owner_url)
        command.revision(alembic_config(server.owner_url), what_it_does, autogenerate=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('usage: python -m migrations.new "what it does"')
    main(sys.argv[1])
