"""How often answers use content as a source."""

from datetime import timedelta

from adapters.system import new_ulid, utc_now
from store.analytics.content_uses import ContentUses
from store.content.content import ContentRepository
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


async def test_the_most_used_entries(front: LiveEngine, shop: Shop) -> None:
    """Existing entries of this client only."""
    now = utc_now()
    entries = [new_ulid(), new_ulid()]
    async with front.database.tenant(shop.tenant) as connection:
        for entry_id, title in zip(entries, ("Returns", "Delivery"), strict=True):
            await ContentRepository(connection, shop.tenant).add_knowledge(
                entry_id=entry_id, title=title, body="Thirty days.", language="en", now=now
            )
    for day, cited in enumerate(([0, 1], [1], [0, 1, 2]), start=1):
        ids = [*entries, new_ulid()]
        citations = [{"kind": "knowledge", "id": ids[one], "title": "t"} for one in cited]
        at = now - timedelta(days=day)
        await past_event(front.database, shop, at, citations=citations)

    async with front.database.reading(shop.tenant) as connection:
        uses = ContentUses(connection, shop.tenant)
        found = await uses.most_used(now - timedelta(days=30), limit=5)
        assert [(one.title, one.uses) for one in found] == [("Delivery", 3), ("Returns", 2)]
        assert len(await uses.most_used(now - timedelta(days=30), limit=1)) == 1
