"""Email notifications on the command line."""

from collections.abc import Iterator

import pytest

from tests.e2e.tenants.test_settings_commands import Installation
from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer

OWNER = "o@b.example"


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        client = ("client", "create", "--brand", "B", "--owner-email", OWNER)
        yield Installation(url, cli_json(*client, DATABASE_URL=url)["client_id"])


def test_show_and_set(installed: Installation) -> None:
    of = ("--client", installed.client_id, "--as", OWNER)
    shown = cli_json("notifications", "show", *of, DATABASE_URL=installed.url)
    assert shown == {"mode": "none", "digest_hour": 9, "time_zone": "Europe/Paris"}

    made = cli_json(
        "notifications", "set", "--mode", "digest", "--digest-hour", "7", *of,
        DATABASE_URL=installed.url,
    )  # fmt: skip
    assert made == {"mode": "digest", "digest_hour": 7, "time_zone": "Europe/Paris"}
    assert "digest" in cli("notifications", "show", *of, DATABASE_URL=installed.url).stdout


def test_only_members(installed: Installation) -> None:
    of = ("--client", installed.client_id, "--as", "somebody")
    done = cli("notifications", "set", "--mode", "at_once", *of, DATABASE_URL=installed.url)

    assert done.returncode == 1
    assert "the user is no member of this client" in done.stderr
