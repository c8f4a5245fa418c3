"""The integration commands: secrets are stored sealed, and never shown."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import orjson
import pytest

from adapters.seal import FernetSealer, new_seal_key
from store.core.database import Database
from store.integrations.tables import integrations
from tests.support.core.command_line import CLI, cli, cli_json
from tests.support.core.forks import clean_environment
from tests.support.core.postgres import PostgresServer
from tests.support.core.rows import only_row
from tests.support.servers import shopify

TOKEN = "CANARY0of0an0access0token"
# The connection test calls nobody: addresses on this machine are not allowed.
HERE = "http://127.0.0.1:9"
SHOPIFY = (
    *("--provider", "shopify", "--set", f"base_url={HERE}", "--set", "shop=acme.myshopify.com"),
    *("--secret", "access_token"),
)
# It cannot be connected without credentials.
ZENDESK = (*("--provider", "zendesk", "--set", "subdomain=acme", "--set", "email=a@acme.example"),)


@dataclass(frozen=True)
class Installation:
    env: dict[str, str]
    client_id: str

    @property
    def connect(self) -> tuple[str, ...]:
        return ("integration", "connect", "--client", self.client_id)


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        env = {"DATABASE_URL": url, "SEAL_KEY": new_seal_key()}
        made = cli_json("client", "create", "--brand", "B", "--owner-email", "o@b.example", **env)
        yield Installation(env, made["client_id"])


async def opened(installed: Installation, integration_id: str) -> dict[str, str]:
    """Return the credentials as a worker reads them."""
    database = Database(installed.env["DATABASE_URL"])
    try:
        row = await only_row(database, integrations, id=integration_id)
    finally:
        await database.close()
    assert TOKEN not in str(row)
    credentials = orjson.loads(FernetSealer(installed.env["SEAL_KEY"]).unseal(row["sealed"]))
    assert isinstance(credentials, dict)
    return credentials


async def test_connect_list_disconnect(installed: Installation) -> None:
    secret = {"INTEGRATION_ACCESS_TOKEN": TOKEN}
    made = cli_json(*installed.connect, *SHOPIFY, **installed.env, **secret)
    integration_id = made["integration_id"]
    assert await opened(installed, integration_id) == {"access_token": TOKEN}

    mine = ("integration", "list", "--client", installed.client_id)
    listed = cli(*mine, "--json", **installed.env)
    entry = orjson.loads(listed.stdout)["integrations"][-1]
    assert (entry["id"], entry["status"]) == (integration_id, "connected")
    assert entry["settings"] == {"shop": "acme.myshopify.com", "base_url": HERE}
    shown = cli(*mine, **installed.env)
    assert integration_id in shown.stdout
    for said in (str(made), listed.stdout, listed.stderr, shown.stdout, shown.stderr):
        assert TOKEN not in said
        assert "sealed" not in said

    cli_json("integration", "disconnect", integration_id, **installed.env)
    listed = cli(*mine, "--json", **installed.env)
    assert orjson.loads(listed.stdout)["integrations"][-1]["status"] == "disconnected"


@pytest.mark.parametrize(("token", "problem"), [(shopify.TOKEN, None), (TOKEN, "not_authorized")])
def test_a_connection_is_tried(installed: Installation, token: str, problem: str | None) -> None:
    """A failing connection is stored with its error; the exit code of a test shows the error,
    too."""
    env = {
        **installed.env, "ALLOW_LOOPBACK_TARGETS": "true", "INTEGRATION_ACCESS_TOKEN": token,
    }  # fmt: skip
    with shopify.shopify_server() as server:
        given = [one.replace(HERE, server.url) for one in SHOPIFY]
        made = cli(*installed.connect, *given, "--json", **env)
        fields = orjson.loads(made.stdout)
        tried = cli("integration", "test", fields["integration_id"], **env)
    away = cli("integration", "test", fields["integration_id"], "--json", **env)

    assert (made.returncode, fields["problem"]) == (0, problem)
    assert tried.returncode == (1 if problem else 0)
    for said in (made.stderr, tried.stderr):
        assert ("the credentials are not taken" in said) is (problem is not None)
        assert token not in said
    assert (away.returncode, orjson.loads(away.stdout)["problem"]) == (1, "action_unreachable")
    assert "it cannot be reached" in away.stderr


def typed(secret: str, *arguments: str, **env: str) -> tuple[bytes, bytes]:
    """Run a command on a terminal and type a secret at its prompt; return its output, and the
    screen."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, CLI, *arguments],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=clean_environment(**env),
        start_new_session=True,
    )
    os.close(theirs)
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        screen = b""
        # The space appears once the input is hidden; earlier input is discarded.
        while b"access_token: " not in screen:
            screen += terminal.read(1000)
        terminal.write(f"{secret}\n".encode())
        try:
            stdout, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        with suppress(OSError):  # how a terminal closes when its last writer is gone
            while more := terminal.read(1000):
                screen += more
    assert process.returncode == 0, screen
    return stdout, screen


async def test_asked_for_on_a_terminal(installed: Installation) -> None:
    """The input is not displayed."""
    stdout, screen = typed(TOKEN, *installed.connect, *SHOPIFY, "--json", **installed.env)

    integration_id = orjson.loads(stdout)["integration_id"]
    assert await opened(installed, integration_id) == {"access_token": TOKEN}
    assert TOKEN.encode() not in stdout + screen


@pytest.mark.parametrize(
    ("arguments", "env", "named"),
    [
        (SHOPIFY, {}, "set INTEGRATION_ACCESS_TOKEN"),
        (ZENDESK, {}, "secrets are api_token"),
        ((*SHOPIFY[:-1], f"access_token={TOKEN}"), {}, "secrets are access_token"),
        ((*SHOPIFY[:2], "--set", TOKEN), {}, "NAME=VALUE"),
        ((*SHOPIFY[:2], "--set", f"access_token={TOKEN}"), {}, "is a secret and no setting"),
        ((*SHOPIFY[:2], "--set", f"{TOKEN}=x"), {}, "settings are shop"),
        ((*SHOPIFY[:2], "--set", f"shop={TOKEN}"), {}, "name.myshopify.com expected"),
        (SHOPIFY, {"INTEGRATION_ACCESS_TOKEN": f"{TOKEN} x"}, "visible characters"),
        (SHOPIFY, {"INTEGRATION_ACCESS_TOKEN": TOKEN, "SEAL_KEY": ""}, "SEAL_KEY is not set"),
        (SHOPIFY, {"INTEGRATION_ACCESS_TOKEN": TOKEN, "SEAL_KEY": "x"}, "SEAL_KEY contains no"),
    ],
)
def test_one_sentence_without_the_secret(
    installed: Installation, arguments: tuple[str, ...], env: dict[str, str], named: str
) -> None:
    done = cli(*installed.connect, *arguments, **{**installed.env, **env})

    assert done.returncode == 1
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("disconnect", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), "no such integration"),
        (("test", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), "no such integration"),
        (("list", "--client", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), "no such client"),
        (("connect", "--client", "01ARZ3NDEKTSV4RRFFQ69G5FAV", *SHOPIFY), "no such client"),
    ],
)
def test_what_is_not_there(installed: Installation, arguments: tuple[str, ...], named: str) -> None:
    done = cli("integration", *arguments, **installed.env, INTEGRATION_ACCESS_TOKEN=TOKEN)

    assert done.returncode == 1
    assert named in done.stderr


async def test_an_address_for_webhooks(installed: Installation) -> None:
    """The address is shown once; the platform's secret is read from the environment, and never
    shown."""
    secret = {"PUBLIC_URL": "https://engine.example"}
    listening = SHOPIFY[: SHOPIFY.index("--secret")]
    made = cli(*installed.connect, *listening, **installed.env)
    assert "only receives" in made.stdout
    inbound = ("integration", "inbound")
    of_one = made.stdout.partition("integration_id")[2].split()[0]

    told = cli_json(*inbound, "open", of_one, **installed.env, **secret)
    again = cli(*inbound, "open", of_one, **installed.env)
    given = {**installed.env, "INBOUND_SECRET": "CANARY0of0the0platform"}
    said = cli(*inbound, "secret", of_one, **given)
    rotated = cli_json(*inbound, "rotate", of_one, "--overlap-hours", "0", **installed.env)
    shown = cli(*inbound, "show", of_one, **installed.env)
    cli_json(*inbound, "close", of_one, **installed.env)
    gone = cli(*inbound, "show", of_one, **installed.env)

    assert told["url"].startswith("https://engine.example/api/webhooks/shopify/")
    assert "secret" not in told
    assert "until `integration inbound secret` stores it" in told["missing"]
    assert "integration inbound rotate replaces its URL" in again.stderr
    assert "integration inbound open creates one" in gone.stderr
    assert (again.returncode, said.returncode, gone.returncode) == (1, 0, 1)
    assert "stored" in shown.stdout
    token = rotated["url"].rpartition("/")[2]
    for done in (again, said, shown, gone):
        assert "CANARY" not in done.stdout + done.stderr
        assert token not in done.stdout + done.stderr
