"""Stopping all automation on the command line."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer


@pytest.fixture(scope="module")
def url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as one:
        yield one


@pytest.fixture(scope="module")
def client_id(url: str) -> str:
    made = cli_json(
        "client", "create", "--brand", "B", "--owner-email", "o@b.example", DATABASE_URL=url
    )
    return str(made["client_id"])


def _automation(url: str, *arguments: str) -> dict[str, Any]:
    return dict(cli_json("automation", *arguments, DATABASE_URL=url))


def test_a_clients_stop(url: str, client_id: str) -> None:
    of = ("--client", client_id)
    assert _automation(url, "show", *of)["stopped_at"] is None

    stopped = _automation(url, "stop", *of)

    assert stopped["stopped_by"].startswith("operator:")
    assert _automation(url, "show", *of) == _automation(url, "stop", *of) == stopped
    assert _automation(url, "resume", *of)["stopped_at"] is None
    unknown = cli("automation", "stop", "--client", "01ARZ3NDEKTSV4RRFFQ69G5FAV", DATABASE_URL=url)
    assert (unknown.returncode, unknown.stdout) == (1, "")


def test_the_installations_stop(url: str, client_id: str) -> None:
    stopped = _automation(url, "stop-installation")

    assert _automation(url, "show")["stopped_at"] == stopped["stopped_at"] is not None
    seen = _automation(url, "show", "--client", client_id)
    assert (seen["stopped_at"], seen["installation_stopped_at"]) == (None, stopped["stopped_at"])
    assert _automation(url, "resume-installation")["stopped_at"] is None
    assert _automation(url, "show", "--client", client_id)["installation_stopped_at"] is None
