"""The audit commands: list, anchors, verify."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.audit.chains import tamper
from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer, as_owner


@dataclass(frozen=True)
class Installation:
    url: str
    client_id: str

    def audit(self, *arguments: str) -> dict[str, Any]:
        return dict(cli_json("audit", *arguments, DATABASE_URL=self.url))

    def refused(self, *arguments: str) -> tuple[str, str]:
        done = cli("audit", *arguments, DATABASE_URL=self.url)
        assert done.returncode == 1
        return done.stdout, done.stderr


@pytest.fixture
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        client = ("client", "create", "--brand", "B", "--owner-email", "o@b.example")
        client_id = cli_json(*client, DATABASE_URL=url)["client_id"]
        for label in ("one", "two"):
            made = ("key", "create", "--client", client_id, "--label", label)
            cli_json(*made, DATABASE_URL=url)
        yield Installation(url, client_id)


def anchor(installed: Installation) -> None:
    with psycopg.connect(as_owner(installed.url)) as owner:
        owner.execute(
            "INSERT INTO audit_anchors (client_id, seq, hash, day) "
            "SELECT client_id, seq, hash, %s FROM audit_heads",
            [date(2026, 11, 22)],
        )


def test_what_was_done_is_listed(installed: Installation) -> None:
    listed = installed.audit("list", "--client", installed.client_id)["entries"]

    assert [(one["what"], one["actor_kind"]) for one in listed[:2]] == [
        ("key created", "operator")
    ] * 2
    assert listed[0]["seq"] == len(listed)
    assert listed[-1]["what"] == "client created"
    assert all("@" not in json.dumps(one) for one in listed)
    only = ("--what", "key created", "--limit", "1", "--before", str(listed[0]["seq"]))
    (second,) = installed.audit("list", "--client", installed.client_id.lower(), *only)["entries"]
    assert second == listed[1]
    shown = cli("audit", "list", "--client", installed.client_id, DATABASE_URL=installed.url)
    assert "key created" in shown.stdout


def test_a_sound_log_is_verified_and_a_changed_one_named(installed: Installation) -> None:
    sound = installed.audit("verify")
    assert (sound["logs"], sound["faults"]) == (1, [])
    of_one = ("verify", "--client", installed.client_id)
    assert installed.audit(*of_one)["entries"] == sound["entries"] > 2
    said = cli("audit", "verify", DATABASE_URL=installed.url)
    assert (said.returncode, said.stderr) == (0, "")
    assert "No entry was changed, removed or inserted." in said.stdout

    (second,) = [
        one for one in installed.audit("list", "--client", installed.client_id)["entries"]
        if one["seq"] == 2
    ]  # fmt: skip
    tamper(installed.url, "UPDATE audit_entries SET actor = 'nobody' WHERE seq = 2")

    out, told = installed.refused("verify")
    assert f"{installed.client_id}: entry 2 ({second['id']}) is changed" in told
    assert "The log was changed after it was written." in out
    out, told = installed.refused(*of_one, "--json")
    assert told == ""
    assert json.loads(out)["faults"] == [
        {
            "client_id": installed.client_id,
            "kind": "changed",
            "first": 2,
            "last": 2,
            "id": second["id"],
        }
    ]


def test_a_cut_tail_is_found_by_a_file_of_anchors(installed: Installation, tmp_path: Path) -> None:
    assert "nothing is anchored yet" in installed.refused("anchors")[1]
    anchor(installed)
    kept = installed.audit("anchors")
    file = tmp_path / "anchors.json"
    file.write_text(json.dumps(kept))
    assert kept == installed.audit("anchors", "--day", "2026-11-22")
    assert installed.audit("anchors", "--day", "2026-11-21")["anchors"] == []
    shown = cli("audit", "anchors", DATABASE_URL=installed.url)
    assert kept["digest"] in shown.stdout
    assert installed.audit("verify", "--anchors", str(file))["faults"] == []
    length = kept["anchors"][0]["seq"]

    tamper(
        installed.url,
        "DELETE FROM audit_entries",
        "DELETE FROM audit_heads",
        "DELETE FROM audit_anchors",
    )

    assert installed.audit("verify") == {"logs": 0, "entries": 0, "faults": []}
    _, told = installed.refused("verify", "--anchors", str(file))
    assert f"{installed.client_id}: entries 1 to {length} are cut off" in told


def test_what_is_refused(installed: Installation, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"anchors": [{"client_id": "x", "seq": 0, "hash": ""}]}')
    for arguments, said in (
        (("verify", "--client", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), "this client has no audit log"),
        (("verify", "--anchors", str(wrong)), "not a file written by audit anchors --json"),
        (("verify", "--anchors", str(tmp_path / "none")), "cannot be read"),
    ):
        out, told = installed.refused(*arguments)
        assert out == ""
        assert said in told
