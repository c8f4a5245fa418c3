"""Imports of exports and of first-version events on the command line."""

import json
import signal
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.exports.export import Section
from store.core.database import Database
from store.tenants.tables import clients
from tests.support.core.command_line import CLI, Command, cli, cli_json
from tests.support.core.forks import ROOT, clean_environment
from tests.support.core.postgres import PostgresServer
from tests.support.exports.exported import document, exported
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.shop import Shop

DYING = str(ROOT / "tests" / "support" / "exports" / "dying_importer.py")


@dataclass(frozen=True)
class Place:
    url: str
    database: Database
    client_id: str


@pytest.fixture
async def target(postgres: PostgresServer) -> AsyncIterator[Place]:
    """Another installation with a new client."""
    with postgres.database() as url:
        made = cli_json(
            "client", "create", "--brand", "Neu", "--owner-email", "o@example.com", DATABASE_URL=url
        )
        database = Database(url)
        yield Place(url, database, made["client_id"])
        await database.close()


@pytest.fixture
async def file(database: Database, shop: Shop, tmp_path: Path) -> Path:
    await fill_every_table(database, shop)
    path = tmp_path / "export.json"
    path.write_text(await exported(database, shop.client_id))
    return path


async def test_a_file_is_brought_in(
    target: Place, file: Path, database: Database, shop: Shop
) -> None:
    """A dry run first, then the import, with a summary, warnings and progress apart from the
    result."""
    command = ("import", str(file), "--client", target.client_id)
    tried = cli_json(*command, "--dry-run", DATABASE_URL=target.url)
    assert tried["dry_run"]
    done = cli(*command, DATABASE_URL=target.url)
    assert done.returncode == 0, done.stderr
    assert "engine_runs" in done.stdout
    assert "kept their ids" in done.stdout
    assert "Importing: done, 100 %" in done.stderr
    for warned in ("1 runs", "1 reviews", "1 integrations"):
        assert f"warning: {warned}" in done.stderr
    moved = await document(target.database, target.client_id)
    original = await document(database, shop.client_id)
    for section in ("knowledge_entries", "settings", "client"):
        assert moved[section] == original[section]
    # The open review was closed, and its conversation is left to human agents.
    for there, here in zip(moved["ai_conversations"], original["ai_conversations"], strict=True):
        assert {**there, "handed_over_at": None} == {**here, "handed_over_at": None}

    again = cli(*command, DATABASE_URL=target.url)
    assert again.returncode == 1
    assert "the client is not empty" in again.stderr


def piped(
    program: str, *arguments: str, url: str, into: Path
) -> "subprocess.CompletedProcess[str]":
    """Run a program as a process, with a file as its standard input."""
    env = clean_environment(DATABASE_URL=url, PYTHONPATH=str(ROOT))
    return Command(program, *arguments, env=env, said=into.read_text()).ended()


async def test_standard_input_and_json(target: Place, file: Path) -> None:
    command = ("import", "-", "--client", target.client_id, "--json")
    done = piped(CLI, *command, url=target.url, into=file)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["records"][Section.ENGINE_RUNS] == 1
    assert answer["closed"] == {"runs": 1, "reviews": 1, "integrations": 1}
    assert not answer["renamed"]
    assert len(answer["warnings"]) == 3


def spoiled(file: Path, folder: Path) -> tuple[Path, Path]:
    """A truncated file, and a CSV."""
    cut, table = folder / "cut.json", folder / "export.csv"
    cut.write_bytes(file.read_bytes()[:-100])
    table.write_bytes(b"\xef\xbb\xbf## client (1)\r\n")
    return cut, table


async def test_refusals_are_one_sentence(target: Place, file: Path, tmp_path: Path) -> None:
    cut, table = spoiled(file, tmp_path)
    before = await document(target.database, target.client_id)
    for path, client, told in (
        (cut, target.client_id, "cut off"),
        (table, target.client_id, "no JSON"),
        (tmp_path / "none", target.client_id, "no such file"),
        (file, "01KAK8Z0A1B2C3D4E5F6G7H8J9", "there is no such client"),
    ):
        refused = cli("import", str(path), "--client", client, DATABASE_URL=target.url)
        assert refused.returncode == 1
        assert refused.stderr.splitlines()[-1].startswith("error: ")
        assert told in refused.stderr
        assert "Traceback" not in refused.stderr
    assert await document(target.database, target.client_id) == before


async def test_a_killed_import_leaves_nothing(target: Place, file: Path) -> None:
    command = ("import", str(file), "--client", target.client_id)
    before = await document(target.database, target.client_id)
    dead = piped(DYING, *command, url=target.url, into=file)
    assert dead.returncode == -signal.SIGKILL, dead.stderr
    assert await document(target.database, target.client_id) == before
    assert cli(*command, DATABASE_URL=target.url).returncode == 0


LINE = {"event_type": "order.created", "created_at": "2024-05-01T10:00:00+02:00"}


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    rows = [
        {**LINE, "id": "17", "payload": {"a": [1.5, None]}, "customer_email": "a@b.example"},
        {**LINE, "id": "18", "source": "\x1b[31mred"},
        LINE,
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    return path


async def test_events_of_the_first_version(target: Place, lines: Path) -> None:
    whose = ("--client", target.client_id)
    command = ("automation-event", "import", str(lines), *whose, "--json")
    first = json.loads(cli(*command, DATABASE_URL=target.url).stdout)
    assert first == {"imported": 3, "left_out": 0}
    again = json.loads(cli(*command, DATABASE_URL=target.url).stdout)
    assert again == {"imported": 1, "left_out": 2}

    listed = cli("automation-event", "list", *whose, DATABASE_URL=target.url, COLUMNS="200")
    assert listed.returncode == 0, listed.stderr
    assert "order.created" in listed.stdout
    assert "\x1b" not in listed.stdout
    found = cli(
        "automation-event", "list", *whose, "--limit", "2", "--json", DATABASE_URL=target.url
    )
    assert len(json.loads(found.stdout)["events"]) == 2
    kept = (await document(target.database, target.client_id))["automation_events"]
    assert {"a": [1.5, None]} in [event["payload"] for event in kept]


def with_line(lines: Path, bad: str) -> Path:
    more = lines.with_name("more.jsonl")
    more.write_text(f"{lines.read_text()}{bad}\n")
    return more


async def test_a_wrong_line_is_named_and_none_is_kept(target: Place, lines: Path) -> None:
    command = ("automation-event", "import", "-", "--client", target.client_id)
    refused = piped(CLI, *command, url=target.url, into=with_line(lines, "{}"))
    assert refused.returncode == 1
    assert "error: line 5: event_type: " in refused.stderr
    assert (await document(target.database, target.client_id))["automation_events"] == []


async def test_a_client_that_is_being_erased_gets_no_events(target: Place, lines: Path) -> None:
    async with target.database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == target.client_id).values(closed_at=utc_now())
        )
    refused = cli(
        "automation-event", "import", str(lines), "--client", target.client_id,
        DATABASE_URL=target.url,
    )  # fmt: skip
    assert refused.returncode == 1
    assert (await document(target.database, target.client_id))["automation_events"] == []
