"""The playbook commands, on a database without a stack."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from store.core.database import Database
from tests.support.core.command_line import cli, cli_json, cli_process
from tests.support.core.postgres import PostgresServer
from tests.support.webhooks.told import told_events

FILE = """
version: 1
playbooks:
  - {name: Shopify, event_type: shopify.*, threshold: 0.9}
  - {name: Été, event_type: "*", active: false}
"""


@dataclass(frozen=True)
class Installation:
    url: str

    def new_client(self, *more: str) -> str:
        client = ("client", "create", "--brand", "B", "--owner-email", "o@b.example")
        made = cli_json(*client, *more, DATABASE_URL=self.url)
        assert set(made) == {"client_id", "owner_user_id"}
        return made["client_id"]

    def playbooks(self, client_id: str) -> list[dict[str, object]]:
        done = cli("playbook", "list", "--client", client_id, "--json", DATABASE_URL=self.url)
        assert done.returncode == 0, done.stderr
        found: list[dict[str, object]] = json.loads(done.stdout)["playbooks"]
        return found

    async def told(self, client_id: str) -> list[tuple[str, int, str]]:
        database = Database(self.url)
        try:
            events = await told_events(database, client_id=client_id)
        finally:
            await database.close()
        return [(one.data["name"], one.data["version"], one.data["actor"]) for one in events]


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        yield Installation(url)


async def test_a_new_client_begins_with_the_starter_set(installed: Installation) -> None:
    client_id = installed.new_client("--as", "alice")

    names = {str(playbook["name"]) for playbook in installed.playbooks(client_id)}
    assert names >= {"Shopify", "E-mail", "Widget", "Zendesk", "Gorgias"}
    assert sorted(await installed.told(client_id)) == sorted((name, 1, "alice") for name in names)


async def test_export_and_import(installed: Installation, tmp_path: Path) -> None:
    client_id = installed.new_client()
    file = tmp_path / "playbooks.yaml"
    mine = ("--client", client_id)
    before = installed.playbooks(client_id)
    told = await installed.told(client_id)

    exported = cli_process("playbook", "export", *mine, DATABASE_URL=installed.url)
    written = cli("playbook", "export", *mine, "--out", str(file), DATABASE_URL=installed.url)
    assert (exported.returncode, written.returncode, written.stdout) == (0, 0, "")
    assert file.read_text() == exported.stdout

    again = cli_process("playbook", "import", str(file), *mine, DATABASE_URL=installed.url)
    assert again.returncode == 0, again.stderr
    assert {line.partition(":")[0] for line in again.stdout.splitlines()} == {"unchanged"}
    assert installed.playbooks(client_id) == before
    assert await installed.told(client_id) == told


async def test_import_and_dry_run(installed: Installation, tmp_path: Path) -> None:
    client_id = installed.new_client("--no-playbooks")
    assert (installed.playbooks(client_id), await installed.told(client_id)) == ([], [])
    playbook = ("playbook", "create", "--client", client_id, "--event-type", "shopify.*")
    made = cli_json(*playbook, "--name", "Shopify", "--as", "alice", DATABASE_URL=installed.url)
    file = tmp_path / "playbooks.yaml"
    file.write_text(FILE)
    bring_in = ("playbook", "import", str(file), "--client", client_id, "--as", "bob")

    for more, kept in (("--dry-run", 1), ("--json", 2)):
        done = cli(*bring_in, more, "--json", DATABASE_URL=installed.url)
        assert done.returncode == 0, done.stderr
        reports = json.loads(done.stdout)["playbooks"]
        assert [
            (one["outcome"], one["name"], one["version"], one["changed"]) for one in reports
        ] == [("changed", "Shopify", 2, ["threshold"]), ("created", "Été", 1, [])]
        assert len(installed.playbooks(client_id)) == kept

    shopify, other = installed.playbooks(client_id)
    assert shopify == {
        "playbook_id": made["playbook_id"],
        "name": "Shopify",
        "version": 2,
        "event_type": "shopify.*",
        "threshold": 0.9,
        "is_active": True,
    }
    assert not other["is_active"]
    env = {"DATABASE_URL": installed.url, "COLUMNS": "80"}
    shown = cli("playbook", "list", "--client", client_id, **env).stdout
    assert all(str(one["playbook_id"]) in shown for one in (shopify, other))
    activate = ("playbook", "activate", str(other["playbook_id"]), "--as", "carol")
    for _ in range(2):
        cli_json(*activate, DATABASE_URL=installed.url)
    assert await installed.told(client_id) == [("Shopify", 1, "alice"), ("Été", 1, "carol")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FILE.replace("0.9", "9"), "error: playbooks[0].threshold: must be less than"),
        (FILE.replace("active", "on"), "error: not valid YAML: line 5, column 34: a key"),
        (FILE.replace("Été", "Shopify"), "error: playbooks[1].name: another one of this file"),
    ],
)
def test_a_file_that_is_wrong_changes_nothing(
    installed: Installation, tmp_path: Path, text: str, said: str
) -> None:
    client_id = installed.new_client("--no-playbooks")
    file = tmp_path / "playbooks.yaml"
    file.write_text(text)
    done = cli("playbook", "import", str(file), "--client", client_id, DATABASE_URL=installed.url)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert installed.playbooks(client_id) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "--client", "nobody"), "there is no such client"),
        (("export", "--client", "nobody"), "there is no such client"),
        (("activate", "nothing"), "there is no such playbook"),
        (("create", "--client", "nobody", "--name", "x"), "there is no such client"),
    ],
)
def test_what_is_not_there(installed: Installation, arguments: tuple[str, ...], said: str) -> None:
    done = cli("playbook", *arguments, DATABASE_URL=installed.url)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr


def test_a_case_that_was_not_tried_shuts_the_gate(installed: Installation, tmp_path: Path) -> None:
    """An operator opens the gate with a reason, with each command."""
    env = {"DATABASE_URL": installed.url}
    client = ("--client", installed.new_client("--no-playbooks"))
    case, file = tmp_path / "case.yaml", tmp_path / "playbooks.yaml"
    case.write_text("name: Colis\nscenario: {messages: [{text: Bonjour}]}\nexpected: {}\n")
    cli_json("case", "create", str(case), *client, **env)
    file.write_text(FILE.replace(", active: false", ""))

    create = ("playbook", "create", *client, "--name", "Tous", "--event-type", "api_direct")
    for command in (create, ("playbook", "import", str(file), *client)):
        assert "cases_not_green" in cli(*command, **env).stderr
        assert "override: a reason" in cli(*command, "--override", " ", **env).stderr
    # The file's playbook handles the case, then the new one takes precedence.
    assert cli("playbook", "import", str(file), *client, "--override", "Soldes.", **env).stdout
    made = cli_json(*create, "--override", "Soldes.", **env)
    cli_json("playbook", "deactivate", made["playbook_id"], **env)
    cli_json("playbook", "activate", made["playbook_id"], **env)  # it was live
    listed = cli("audit", "list", *client, "--json", **env).stdout
    assert listed.count('"publish gate overridden"') == 2
    assert "Soldes" not in listed


def test_what_a_playbook_s_past_says_of_it(installed: Installation) -> None:
    """For a playbook without a history, it reports insufficient data."""
    client_id = installed.new_client()
    playbook_id = str(installed.playbooks(client_id)[0]["playbook_id"])

    report = cli("playbook", "shadow", playbook_id, DATABASE_URL=installed.url)
    told = cli("playbook", "shadow", playbook_id, "--json", DATABASE_URL=installed.url)
    advice = cli("playbook", "advise", playbook_id, DATABASE_URL=installed.url)
    of_class = cli(
        "playbook", "advise", playbook_id, "--class", "complaint", "--json",
        DATABASE_URL=installed.url,
    )  # fmt: skip

    assert report.stdout.startswith("Not ready: too_few_compared, agreement_too_low.\n")
    assert json.loads(told.stdout)["ready"] is False
    assert "would send 0 of the last 0 to review and avoid 0 of 0 edits" in advice.stdout
    assert json.loads(of_class.stdout)["suggested"] is None
