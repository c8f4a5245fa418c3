"""The customer commands."""

import asyncio
from typing import Any

from store.core.database import Database
from tests.support.core.command_line import cli, cli_json
from tests.support.customers.regular import NAME, SOPHIE, a_regular
from tests.support.tenants.shop import Shop, open_shop


async def _regular(url: str) -> tuple[Shop, str]:
    database = Database(url)
    try:
        shop = await open_shop(database)
        return shop, await a_regular(database, shop)
    finally:
        await database.close()


def test_customers(database_url: str) -> None:
    shop, customer_id = asyncio.run(_regular(database_url))
    url = {"DATABASE_URL": database_url}
    whose = ("--client", shop.client_id)

    listed = cli("customer", "list", *whose, "--find", "soph", **url).stdout
    answer: dict[str, Any] = dict(cli_json("customer", "list", *whose, **url))
    (told,) = answer["customers"]
    shown = cli("customer", "show", customer_id.lower(), **url).stdout
    asked = cli_json("customer", "request-data", customer_id, **url)
    unknown = cli("customer", "show", shop.client_id, **url)

    assert SOPHIE in listed
    assert "120.00 EUR" in listed
    assert (told["customer_id"], told["name"]) == (customer_id, NAME)
    assert "refunded 49.00 EUR" in shown
    assert "Call her back." in shown
    assert asked["customer_email"] == SOPHIE
    assert unknown.returncode == 1
    assert "no such customer" in unknown.stderr
