"""The copilot's tools that return figures of a period."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from adapters.system import new_ulid
from services.copilot.tools.unhappy_tool import COUNTED_TO
from store.core.database import Database
from store.runs.tables import ai_conversations
from tests.support.copilot.talking import Talking, talking
from tests.support.servers.llm import Say
from tests.support.servers.llm_stream import Call, Calls
from tests.support.tenants.shop import Shop

DAY = datetime(2026, 11, 2, tzinfo=UTC)


async def test_days_that_no_shop_can_have(database: Database, shop: Shop) -> None:
    tried: list[dict[str, str]] = [
        {"last": "0001-01-01"},
        {"last": "1999-12-31"},
        {"first": "0001-01-01", "last": "0001-01-02"},
        {"first": "9999-12-30", "last": "9999-12-31"},
    ]
    async with talking(database) as it:
        for given in tried:
            told = await _told(it, shop, "read_metrics", given)
            assert told == {"error": "invalid_arguments", "fields": sorted(given)}


async def test_the_first_and_last_days_are_read(database: Database, shop: Shop) -> None:
    tried = ({"last": "2000-01-01"}, {"first": "2099-12-31", "last": "2099-12-31"})
    async with talking(database) as it:
        for given in tried:
            assert "found" in await _told(it, shop, "read_metrics", given)


async def test_unhappy_conversations_of_an_earlier_period(database: Database, shop: Shop) -> None:
    """Any number of later conversations does not hide them."""
    end = DAY + timedelta(days=1)
    await _unhappy(database, shop, end, COUNTED_TO + 5)
    earlier = await _unhappy(database, shop, DAY, 2)
    await _unhappy(database, shop, DAY - timedelta(days=1), COUNTED_TO)
    period = {"since": DAY.isoformat(), "until": end.isoformat()}
    async with talking(database) as it:
        found = (await _told(it, shop, "read_unhappy_conversations", period))["found"]
        assert [one["conversation_id"] for one in found["conversations"]] == earlier[::-1]
        assert not found["has_more"]

        await _unhappy(database, shop, DAY, COUNTED_TO)
        found = (await _told(it, shop, "read_unhappy_conversations", period))["found"]
        assert len(found["conversations"]) == COUNTED_TO
        assert found["has_more"]


async def _told(it: Talking, shop: Shop, tool: str, given: dict[str, str]) -> dict[str, Any]:
    it.server.script = [Calls((Call(tool, given),)), Say("Here.")]
    await it.ask(shop, "?")
    told = it.server.asked[-1].body["messages"]
    answers: list[str] = [one["content"] for one in told if one["role"] == "tool"]
    found: dict[str, Any] = json.loads(answers[-1])
    return found


async def _unhappy(database: Database, shop: Shop, since: datetime, count: int) -> list[str]:
    """Create conversations with an unhappy customer, one a minute; return their ids, oldest
    first."""
    ids = [new_ulid() for _ in range(count)]
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(ai_conversations),
            [
                {
                    "client_id": shop.client_id,
                    "id": one,
                    "key": one,
                    "channel": "api",
                    "summary": "",
                    "is_critical": True,
                    "sentiment": -0.9,
                    "created_at": since,
                    "last_message_at": since + timedelta(minutes=at),
                }
                for at, one in enumerate(ids)
            ],
        )
    return ids
