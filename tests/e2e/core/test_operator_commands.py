"""An operator creates one of each record, shows it and removes it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from adapters.seal import new_seal_key
from tests.support.core.command_line import answer_of, cli, cli_json
from tests.support.core.postgres import PostgresServer

TERMINAL = {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": "80"}
EVENT = '{"id":"old-1","event_type":"ticket","created_at":"2026-01-01T00:00:00Z","payload":{"a":1}}'


@dataclass(frozen=True)
class Installation:
    env: dict[str, str]
    client_id: str

    @property
    def of_client(self) -> tuple[str, str]:
        return "--client", self.client_id

    def told(self, *arguments: str, said: str = "") -> dict[str, Any]:
        return dict(answer_of(cli(*arguments, "--json", said=said, **self.env)))

    def ids(self, noun: str, *options: str) -> list[str]:
        (listed,) = (value for value in self.told(noun, "list", *options).values() if value != "")
        return [next(iter(one.values())) for one in listed]

    def refused(self, *arguments: str) -> str:
        done = cli(*arguments, **self.env)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        env = {"DATABASE_URL": url, "SEAL_KEY": new_seal_key()}
        client = ("client", "create", "--brand", "Maison", "--owner-email", "o@b.example")
        made = cli_json(*client, "--plan", "pro", "--no-playbooks", **env)
        yield Installation(env, made["client_id"])


# How a record is created, named and removed.
MADE = [
    ("key", ("create", "--label", "backend"), "backend", "revoke"),
    ("playbook", ("create", "--name", "All"), "All", "delete"),
    (
        "template",
        ("create", "--name", "Greeting", "--category", "other", "--language", "en", "--body", "Hi"),
        "Greeting",
        "delete",
    ),
    (
        "knowledge",
        ("create", "--title", "Opening hours", "--language", "en", "--body", "10 to 19"),
        "Opening hours",
        "delete",
    ),
    (
        "webhook",
        ("create", "--url", "https://hooks.example.com/x", "--event", "*", "--label", "Mine"),
        "Mine",
        "delete",
    ),
]


@pytest.mark.parametrize(("noun", "make", "name", "away"), MADE, ids=[one[0] for one in MADE])
def test_one_of_each(
    installed: Installation, noun: str, make: tuple[str, ...], name: str, away: str
) -> None:
    made = installed.told(noun, *make, *installed.of_client)
    one = made[f"{noun}_id"]
    whose = installed.of_client if noun in {"template", "knowledge"} else ()

    assert installed.told(noun, "show", one, *whose)[f"{noun}_id"] == one
    assert name in cli(noun, "show", one, *whose, **installed.env).stdout
    listed = cli(noun, "list", *installed.of_client, **installed.env, **TERMINAL).stdout
    assert one in listed.split()
    assert all(Text.from_ansi(line).cell_len <= 80 for line in listed.splitlines())

    installed.told(noun, away, one, *whose)
    assert noun == "key" or one not in installed.ids(noun, *installed.of_client)
    if noun != "key":
        assert "error: " in installed.refused(noun, "show", one, *whose)


def test_a_member(installed: Installation) -> None:
    member = ("--user", "mira@b.example", *installed.of_client)
    made = installed.told("member", "add", *member, "--role", "agent")
    shown = installed.told("member", "show", *member)
    assert (shown["user_id"], shown["role"]) == (made["user_id"], "agent")
    installed.told("member", "remove", *member)
    assert "not a member of this client" in installed.refused("member", "show", *member)


def test_an_event_of_the_first_version(installed: Installation) -> None:
    event = ("old-1", *installed.of_client)
    installed.told("automation-event", "import", "-", *installed.of_client, said=f"{EVENT}\n")
    assert installed.told("automation-event", "show", *event)["payload"] == {"a": 1}
    installed.told("automation-event", "delete", *event)
    for verb in ("show", "delete"):
        assert "no event with this id" in installed.refused("automation-event", verb, *event)


def test_a_client_its_usage_and_its_credits(installed: Installation) -> None:
    for amount in ("100", "-30"):
        installed.told("credits", "add", f"--amount={amount}", *installed.of_client)
    entries = installed.told("credits", "list", *installed.of_client)["entries"]
    assert [(one["amount"], one["balance"]) for one in entries] == [(-30, 70), (100, 100)]
    older = ("credits", "list", "--before", entries[0]["entry_id"], *installed.of_client)
    assert installed.told(*older)["entries"] == entries[1:]
    assert "+100" in cli("credits", "list", *installed.of_client, **installed.env).stdout

    used = installed.told("usage", *installed.of_client)
    assert (used["tickets_used"], used["tickets_limit"], used["credits_balance"]) == (0, 5000, 70)
    assert (used["history"], used["quota_ends_on"]) == ([], None)
    said = cli("usage", "--history", *installed.of_client, **installed.env).stdout
    assert said.startswith("0 tickets used in ")
    assert "month" in said.splitlines()[-1]
    shown = installed.told("client", "show", installed.client_id.lower())
    assert (shown["brand_name"], shown["plan"], shown["credits_balance"]) == ("Maison", "pro", 70)
    said = cli("client", "show", installed.client_id, **installed.env).stdout
    assert said.startswith("Maison\n")
    for command in (("client", "show", "N"), ("usage", "--client", "N")):
        assert "no such client" in installed.refused(*command)


def test_texts_come_from_files_and_standard_input(installed: Installation, tmp_path: Path) -> None:
    file = tmp_path / "body.txt"
    file.write_text("Bonjour.\n\nÀ bientôt.\n")
    create = (
        "knowledge", "create", "--title", "T", "--language", "fr", *installed.of_client,
    )  # fmt: skip
    made = installed.told(*create, "--body-file", str(file))["knowledge_id"]
    whose = (made, *installed.of_client)
    assert installed.told("knowledge", "show", *whose)["body"] == "Bonjour.\n\nÀ bientôt."
    installed.told("knowledge", "update", *whose, "--body-file", "-", said="Voilà.\n")
    assert installed.told("knowledge", "show", *whose)["body"] == "Voilà."
    prompt = ("settings", "set", *installed.of_client, "--system-prompt-file", "-")
    assert installed.told(*prompt, said="Tutoyez.\n")["system_prompt"] == "Tutoyez."
    assert "is needed" in installed.refused(*create)
    assert "not both" in installed.refused(*create, "--body", "x", "--body-file", str(file))


def test_an_export(installed: Installation, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    done = cli("export", *installed.of_client, "--out", str(file), **installed.env)
    assert (done.returncode, done.stdout) == (0, "")
    assert file.stat().st_mode & 0o777 == 0o600
    document = json.loads(file.read_bytes())
    assert document["client_id"] == installed.client_id

    streamed = json.loads(cli("export", *installed.of_client, **installed.env).stdout)
    *earlier, entry = streamed["audit_entries"]
    assert (earlier, entry["what"]) == (document["audit_entries"], "data exported")
    assert {
        **streamed,
        "exported_at": document["exported_at"],
        "audit_entries": earlier,
    } == document
    table = cli("export", *installed.of_client, "--format", "csv", **installed.env).stdout
    assert "## client (1)" in table
    before = file.read_bytes()
    assert "no such client" in installed.refused("export", "--client", "N", "--out", str(file))
    missing = ("export", *installed.of_client, "--out", str(tmp_path / "none" / "e.json"))
    assert "no such file" in installed.refused(*missing).splitlines()[-1]
    assert (file.read_bytes(), [*tmp_path.iterdir()]) == (before, [file])


def test_a_message_is_in_one_language(installed: Installation) -> None:
    webhook = ("webhook", "create", *installed.of_client, "--event", "*", "--url")
    assert installed.refused(*webhook, "http://a.example") == "error: url: https:// expected\n"
