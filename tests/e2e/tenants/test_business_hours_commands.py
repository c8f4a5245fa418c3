"""Business hours on the command line."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.tenants.test_settings_commands import NOBODY, Installation
from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        client = ("client", "create", "--brand", "B", "--owner-email", "o@b.example")
        yield Installation(url, cli_json(*client, DATABASE_URL=url)["client_id"])


def test_show_and_set(installed: Installation) -> None:
    of = ("--client", installed.client_id)
    made: dict[str, Any] = cli_json(
        "business-hours", "set", "--day", "monday=9h-12h, 14h-18h", "--day", "tuesday=10:00-12:00",
        "--holiday", "2026-12-25", "--target-minutes", "60", *of, DATABASE_URL=installed.url,
    )  # fmt: skip
    assert made["week"] == {
        "monday": [{"opens": "09:00", "closes": "12:00"}, {"opens": "14:00", "closes": "18:00"}],
        "tuesday": [{"opens": "10:00", "closes": "12:00"}],
    }
    assert (made["holidays"], made["target_minutes"]) == (["2026-12-25"], 60)
    assert cli_json("business-hours", "show", *of, DATABASE_URL=installed.url) == made

    changed: dict[str, Any] = cli_json(
        "business-hours", "set", "--day", "tuesday=", "--target-minutes", "0", *of,
        DATABASE_URL=installed.url,
    )  # fmt: skip
    assert (list(changed["week"]), changed["target_minutes"]) == (["monday"], None)
    assert changed["holidays"] == ["2026-12-25"]
    shown = cli("business-hours", "show", *of, DATABASE_URL=installed.url).stdout
    assert "09:00-12:00, 14:00-18:00" in shown
    assert "closed" in shown


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--day", "lundi=9h-12h"),
        ("--day", "monday"),
        ("--day", "monday=nine"),
        ("--holiday", "25/12/2026"),
        ("--time-zone", "Mars/Base"),
    ],
)
def test_what_is_refused(installed: Installation, options: tuple[str, ...]) -> None:
    of = ("--client", installed.client_id)
    done = cli("business-hours", "set", *options, *of, DATABASE_URL=installed.url)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)


def test_an_unknown_client(installed: Installation) -> None:
    for what in (("show",), ("set", "--target-minutes", "5")):
        done = cli("business-hours", *what, "--client", NOBODY, DATABASE_URL=installed.url)
        assert (done.returncode, done.stdout) == (1, "")
