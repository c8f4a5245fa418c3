"""A client's widget on the command line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from adapters.seal import new_seal_key
from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
KEY = new_seal_key()


@dataclass(frozen=True)
class Installation:
    url: str
    client_id: str

    @property
    def variables(self) -> dict[str, str]:
        return {"DATABASE_URL": self.url, "SEAL_KEY": KEY, "PUBLIC_URL": "https://support.example"}

    def run(self, *arguments: str) -> dict[str, Any]:
        return dict(cli_json(*arguments, "--client", self.client_id, **self.variables))

    def refused(self, *arguments: str, client_id: str = "") -> str:
        of = ("--client", client_id or self.client_id)
        done = cli("widget", *arguments, *of, **self.variables)
        assert (done.returncode, done.stdout) == (1, "")
        assert len(done.stderr.splitlines()) == 1
        return done.stderr


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        client = ("client", "create", "--brand", "B", "--owner-email", "o@b.example")
        yield Installation(url, cli_json(*client, DATABASE_URL=url)["client_id"])


def test_change_rotate_show(installed: Installation) -> None:
    changed = installed.run(
        "widget", "change", "--allowed-origin", "https://Shop.example:443",
        "--allowed-origin", "http://localhost:3000", "--hourly-messages", "50",
        "--monthly-tickets", "10", "--no-api-keys",
    )  # fmt: skip
    assert changed == {
        "allowed_origins": ["https://shop.example", "http://localhost:3000"],
        "hourly_messages": 50,
        "monthly_tickets": 10,
        "accepts_api_keys": False,
    }
    fewer = installed.run("widget", "change", "--hourly-messages", "0", "--api-keys")
    assert fewer == {**changed, "hourly_messages": None, "accepts_api_keys": True}

    first = installed.run("settings", "rotate-widget-key")["widget_key"]
    assert installed.run("widget", "show")["previous_key_until"] is None
    second = installed.run("settings", "rotate-widget-key", "--overlap-hours", "1")["widget_key"]
    made = installed.run("widget", "rotate-secret")
    assert re.fullmatch("wsec_[0-9a-f]{64}", made["secret"])
    assert made["previous_secret_until"] is None
    again = installed.run("widget", "rotate-secret", "--overlap-hours", "2")
    assert again["previous_secret_until"] is not None

    shown = installed.run("widget", "show")
    assert shown["snippet"] == (
        f'<script src="https://support.example/widget.js" data-key="{second}" async></script>'
    )
    assert shown["previous_key_until"] is not None
    assert shown["has_secret"] is True
    done = cli("widget", "show", "--client", installed.client_id, **installed.variables)
    assert shown["snippet"] in done.stdout
    assert "https://shop.example, http://localhost:3000" in done.stdout
    for secret in (first, made["secret"], again["secret"]):
        assert secret not in done.stdout + str(shown)
    installed.run("settings", "rotate-widget-key", "--overlap-hours", "0")
    assert installed.run("widget", "show")["previous_key_until"] is None
    none = installed.run("widget", "change", "--allowed-origin", "")
    assert none["allowed_origins"] == []


def test_what_breaks_a_rule_is_named(installed: Installation) -> None:
    before = installed.run("widget", "show")
    for arguments, named in (
        ((), "nothing to change"),
        (("--allowed-origin", "https://a.example", "--allowed-origin", "b"), "no. 2: https://host"),
        (("--allowed-origin", "http://a.example"), "http is for this machine only"),
    ):
        assert named in installed.refused("change", *arguments), arguments
    for unknown in (("show",), ("change", "--api-keys"), ("rotate-secret",)):
        assert "client_not_found" in installed.refused(*unknown, client_id=NOBODY)
    assert installed.run("widget", "show") == before
