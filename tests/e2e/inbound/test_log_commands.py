"""The commands inbound list, show and replay."""

import asyncio
from typing import Any

from adapters.system import utc_now
from store.core.database import Database
from tests.support.core.command_line import cli, cli_json
from tests.support.inbound.log import a_sender, logged, refused
from tests.support.tenants.shop import Shop, open_shop

STEERING = "\x1b[2J"


async def _received(url: str) -> tuple[Shop, str, str, str]:
    """Create a shop with a failed, a processed and a queued webhook."""
    database = Database(url)
    try:
        shop = await open_shop(database)
        sender = await a_sender(database, shop)
        failed = await logged(
            database,
            shop,
            sender,
            state="failed",
            outcome=None,
            reason="no_order",
            topic=f"order.updated{STEERING}",
            headers={"x-wc-webhook-signature": "CANARY"},
            body=f'{{"note": "[bold]{STEERING}"}}'.encode(),
        )
        done = await logged(database, shop, sender)
        waiting = await logged(
            database,
            shop,
            sender,
            kind="ticket",
            state="waiting",
            outcome=None,
            waits_for="client_limit",
            not_before=utc_now().replace(hour=13, minute=5),
        )
        hour = utc_now().replace(minute=0, second=0, microsecond=0)
        await refused(database, shop, sender, reason="signature_wrong", hour=hour, count=7)
    finally:
        await database.close()
    return shop, failed, done, waiting


def asked(url: str, *arguments: str) -> dict[str, Any]:
    return dict(cli_json("inbound", *arguments, DATABASE_URL=url))


def test_log(database_url: str) -> None:
    shop, failed, done, waiting = asyncio.run(_received(database_url))
    url = {"DATABASE_URL": database_url}

    told = asked(database_url, "list", "--client", shop.client_id)
    only = asked(database_url, "list", "--client", shop.client_id, "--state", "failed")
    listed = cli("inbound", "list", "--client", shop.client_id, **url).stdout
    shown = cli("inbound", "show", failed.lower(), **url).stdout
    again = asked(database_url, "replay", done)
    tried = asked(database_url, "replay", failed)
    afterwards = asked(database_url, "show", failed)
    unknown = cli("inbound", "show", shop.client_id, **url)

    assert [one["inbound_id"] for one in told["webhooks"]] == [waiting, done, failed]
    first = told["webhooks"][0]
    assert (first["state"], first["waits_for"]) == ("waiting", "client_limit")
    assert [one["inbound_id"] for one in only["webhooks"]] == [failed]
    assert told["refusals"][0]["count"] == 7
    assert "client limit until 13:05 UTC" in listed
    assert "signature wrong" in listed
    assert "It could not be processed: no order." in " ".join(shown.split())
    assert "[bold]" in shown
    assert "CANARY" not in shown
    assert "\x1b" not in listed + shown
    assert (again["replayed"], tried["replayed"]) == (False, True)
    assert afterwards["state"] == "working"
    assert unknown.returncode == 1
    assert "there is no such inbound webhook" in unknown.stderr
