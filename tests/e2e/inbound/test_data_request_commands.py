"""The data-request commands and inbound polls."""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

from adapters.system import utc_now
from domain.inbound.data_request import DUE_AFTER
from store.core.database import Database
from store.inbound.poll_cursors import PollCursorRepository
from tests.support.core.command_line import cli, cli_json
from tests.support.inbound.data_requests import data_requested
from tests.support.inbound.log import a_sender
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

ANN = "ann@x.example"


async def _asked(url: str) -> tuple[Shop, str]:
    """Create a shop, and a data request from a customer who has written."""
    database = Database(url)
    try:
        shop = await open_shop(database)
        await write(database, shop, "Where is my lamp?", customer=ANN, now=utc_now())
        return shop, await data_requested(database, shop, ANN)
    finally:
        await database.close()


def asked(url: str, *arguments: str) -> dict[str, Any]:
    return dict(cli_json(*arguments, DATABASE_URL=url))


def test_data_requests(database_url: str, tmp_path: Path) -> None:
    shop, request_id = asyncio.run(_asked(database_url))
    url, to = {"DATABASE_URL": database_url}, tmp_path / "ann.json"

    listed = cli("data-request", "list", "--client", shop.client_id, **url).stdout
    (told,) = asked(database_url, "data-request", "list", "--client", shop.client_id)["requests"]
    shown = cli("data-request", "export", request_id.lower(), **url)
    written, again = [
        cli("data-request", "export", request_id, "--to", str(to), **url) for _ in range(2)
    ]
    done = [asked(database_url, "data-request", "fulfil", request_id) for _ in range(2)]
    unknown = cli("data-request", "export", shop.client_id, **url)

    assert "1 requests" in listed
    assert f"{utc_now() + DUE_AFTER:%Y-%m-%d}" in listed
    assert (told["request_id"], told["customer_email"]) == (request_id, ANN)
    assert json.loads(shown.stdout)["messages"][0]["body"] == "Where is my lamp?"
    assert (written.returncode, again.returncode) == (0, 1)
    assert "already exists" in again.stderr
    assert json.loads(to.read_text())["customer_email"] == ANN
    assert stat.S_IMODE(to.stat().st_mode) == 0o600, "it is a customer's life"
    assert done[0]["fulfilled_by"]
    assert done[0] == done[1], "the first who said so stays"
    assert unknown.returncode == 1
    assert "no such data request" in unknown.stderr


async def _polled(url: str) -> tuple[Shop, str]:
    database = Database(url)
    try:
        shop = await open_shop(database)
        here = await a_sender(database, shop)
        async with database.tenant(shop.tenant) as connection:
            cursors = PollCursorRepository(connection, shop.tenant)
            for _ in range(2):
                await cursors.fail(here, "not_authorized", utc_now())
    finally:
        await database.close()
    return shop, here


def test_polls(database_url: str) -> None:
    shop, here = asyncio.run(_polled(database_url))
    url = {"DATABASE_URL": database_url}

    shown = cli("inbound", "polls", "--client", shop.client_id, **url).stdout
    (told,) = asked(database_url, "inbound", "polls", "--client", shop.client_id)["polls"]

    assert "not_authorized" in shown
    assert (told["integration_id"], told["error_code"], told["failures"]) == (
        here, "not_authorized", 2,
    )  # fmt: skip
