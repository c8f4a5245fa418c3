"""How often answers rest on content."""

from datetime import timedelta

from adapters.system import new_ulid, utc_now
from store.analytics.content_uses import ContentUses
from tests.support.analytics.days import past_event
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop, open_shop


async def test_uses_of_the_last_days(front: LiveEngine, shop: Shop) -> None:
    used, unused, now = new_ulid(), new_ulid(), utc_now()
    cited = [
        {"kind": "knowledge", "id": used, "title": "t"},
        {"kind": "template", "id": unused, "title": "t"},
    ]
    for days in (1, 2, 40):
        await past_event(front.database, shop, now - timedelta(days=days), citations=cited)
    other = await open_shop(front.database)
    await past_event(front.database, other, now - timedelta(days=3), citations=cited)

    async with front.database.reading(shop.tenant) as connection:
        uses = ContentUses(connection, shop.tenant)
        since = now - timedelta(days=30)
        assert await uses.since(since, "knowledge", [used, unused]) == {used: 2}
        assert await uses.since(since, "template", [unused]) == {unused: 2}
        assert await uses.since(since, "knowledge", []) == {}
