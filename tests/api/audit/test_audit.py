"""GET /api/dashboard/audit: entries and pagination."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from adapters.system import new_ulid
from domain.audit.entry import Note
from domain.tenants.actor import Actor
from store.audit.audit_log import AuditLog
from tests.support.audit.chains import ANNA
from tests.support.content.content import SETTINGS
from tests.support.core.engine import LiveEngine
from tests.support.tenants.access import AUDIT
from tests.support.tenants.shop import Shop, open_shop

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


async def ask(front: LiveEngine, owner: dict[str, str], **params: Any) -> httpx.Response:
    return await front.http.get(AUDIT, params=params, headers=owner)


async def told(front: LiveEngine, owner: dict[str, str], **params: Any) -> list[int]:
    answer = await ask(front, owner, **params)
    assert answer.status_code == 200, answer.text
    return [one["seq"] for one in answer.json()["entries"]]


async def write(front: LiveEngine, shop: Shop, number: int) -> None:
    """Write entries a day apart, by Anna and an operator alternately."""
    operator = Actor.operator("carl", login="operator:eve")
    async with front.database.tenant(shop.tenant) as connection:
        for day in range(number):
            what = ("one", "two", "three")[day % 3]
            note = Note((ANNA, operator)[day % 2], what, {"day": str(day)})
            now = NOON + timedelta(days=day)
            await AuditLog(connection, shop.tenant).append([note], now, new_ulid)


async def test_a_change_over_http_is_told_with_its_network(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    changed = await front.http.patch(SETTINGS, json={"system_prompt": "Sois bref."}, headers=owner)
    assert changed.is_success, changed.text

    answer = await ask(front, owner)

    (entry,) = answer.json()["entries"]
    assert answer.json()["next_cursor"] is None
    assert (entry["seq"], entry["what"]) == (1, "settings changed")
    assert (entry["actor_kind"], entry["actor"]) == ("person", shop.owner_user_id)
    assert (entry["login"], entry["network"]) == (None, "127.0.0.0/24")
    assert entry["ids"] == {"fields": "system_prompt"}
    assert len(bytes.fromhex(entry["hash"])) == 32


async def test_pages_follow_one_another(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    await write(front, shop, 7)
    seen: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        body = (await ask(front, owner, limit=3, **cursor)).json()
        seen += [one["seq"] for one in body["entries"]]
        if body["next_cursor"] is None:
            break
        cursor = {"cursor": body["next_cursor"]}

    assert seen == [7, 6, 5, 4, 3, 2, 1]


async def test_filters(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    await write(front, shop, 6)

    for asked, seqs in (
        ({"what": "two"}, [5, 2]),
        ({"actor": "anna"}, [5, 3, 1]),
        ({"what": "two", "actor": "carl"}, [2]),
        ({"from": "2026-03-05"}, [6, 5]),
        ({"to": "2026-03-02"}, [2, 1]),
        ({"from": "2026-03-03", "to": "2026-03-03"}, [3]),
        ({"from": "0001-01-01", "to": "9999-12-31"}, [6, 5, 4, 3, 2, 1]),
        ({"from": "2026-03-03", "limit": "1", "cursor": "6"}, [5]),
        ({"what": "' OR true --"}, []),
    ):
        assert await told(front, owner, **asked) == seqs, asked


@pytest.mark.parametrize(
    "wrong",
    [
        {"cursor": "0"},
        {"cursor": "9" * 19},
        {"cursor": "-1"},
        {"limit": "0"},
        {"limit": "201"},
        {"from": "yesterday"},
        {"what": "x" * 256},
        {"unknown": "1"},
    ],
    ids=str,
)
async def test_queries_that_are_refused(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, str]
) -> None:
    assert (await ask(front, owner, **wrong)).status_code == 400


async def test_an_entry_of_another_client_is_not_seen(
    front: LiveEngine, owner: dict[str, str]
) -> None:
    another = await open_shop(front.database)
    await write(front, another, 1)

    assert await told(front, owner) == []
    refused = await ask(front, owner, client_id=another.client_id)
    assert refused.status_code == 403
