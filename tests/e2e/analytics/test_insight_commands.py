"""The insight commands and knowledge gaps."""

import json
from datetime import timedelta

from adapters.system import utc_now
from domain.analytics.metrics import day_before
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.core.database import Database
from tests.support.analytics.days import Said, past_event
from tests.support.core.command_line import cli
from tests.support.tenants.shop import open_shop

YESTERDAY = day_before(utc_now())


async def test_what_is_shown(database: Database, database_url: str) -> None:
    shop = await open_shop(database)
    at = utc_now() - timedelta(days=1)
    for number, text in enumerate(("Livrez-vous en Suisse ?", "\x1b[2JEn Suisse, livrez-vous ?")):
        await past_event(
            database, shop, at + timedelta(milliseconds=number), status="needs_review",
            reviews=["pending"], reason="missing_knowledge", said=Said(text),
        )  # fmt: skip
    async with database.service() as connection:
        found = await count_day(connection, [shop.client_id], YESTERDAY, utc_now())
        await keep_day(connection, found, YESTERDAY, utc_now())

    def run(*arguments: str) -> str:
        ended = cli("insight", *arguments, "--client", shop.client_id.lower(),
                    DATABASE_URL=database_url)  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    shown = run("show", "--compare")
    assert f"1 days from {YESTERDAY - timedelta(days=29)} to {YESTERDAY}, 29 not counted" in shown
    assert "missing_knowledge" in shown
    told = json.loads(run("show", "--json"))
    assert (told["period"]["from"], told["period"]["figures"]["asked"]) == (
        str(YESTERDAY - timedelta(days=29)), 2,
    )  # fmt: skip
    assert run("show", "--csv").startswith("\ufeffpart,key,name,from,to,")
    gaps = run("gaps", "--days", "90")
    assert "2 questions in 1 gaps" in gaps
    assert "suisse" in gaps
    assert "\x1b" not in gaps
    assert json.loads(run("gaps", "--json"))["gaps"][0]["count"] == 2
    assert "Suisse" in run("gaps", "--csv")
    refused = cli(
        "insight", "gaps", "--client", shop.client_id, "--days", "31", DATABASE_URL=database_url
    )
    assert refused.returncode == 1
    assert "30 or 90" in refused.stderr
