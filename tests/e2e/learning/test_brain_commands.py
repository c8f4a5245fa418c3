"""The `brain` commands."""

import asyncio
import json

from domain.learning.own_head_trial import HeldBackCount, OwnHeadState, TriedHead
from store.core.database import Database
from tests.support.core.command_line import cli
from tests.support.core.postgres import PostgresServer
from tests.support.learning.lessons import USED, keep_head
from tests.support.tenants.shop import Shop, open_shop

FEW = TriedHead(HeldBackCount(tickets=7), OwnHeadState.TOO_FEW)


async def _set_up(url: str) -> tuple[Shop, list[str]]:
    database = Database(url)
    try:
        shop = await open_shop(database)
        return shop, [await keep_head(database, shop, tried) for tried in (FEW, USED)]
    finally:
        await database.close()


def test_the_latest_version_comes_first_with_both_accuracies(postgres: PostgresServer) -> None:
    with postgres.database() as url:
        shop, (few, used) = asyncio.run(_set_up(url))
        status = ("brain", "status", "--client", shop.client_id)

        found = json.loads(cli(*status, "--json", DATABASE_URL=url).stdout)
        shown = cli(*status, DATABASE_URL=url).stdout

    first, second = found["versions"]
    assert (first["id"], first["state"], first["tickets"]) == (used, "used", 200)
    assert (first["own_accuracy"], first["shared_accuracy"]) == (0.8, 0.65)
    assert (second["id"], second["state"], second["own_accuracy"]) == (few, "too_few", None)
    assert found["decided_tickets"] == 0
    assert "0.800" in shown
