"""The brain receives the client's own head, which is read only once."""

from sqlalchemy.ext.asyncio import AsyncConnection

from activities.agent import gather as gather_module
from activities.agent.gather import gather
from domain.agent.own_head import OwnHead
from domain.intake.event import Channel, UnifiedEvent
from store.core.database import Database
from store.learning.own_heads import OwnHeadRepository
from tests.support.learning.lessons import MODEL, keep_head
from tests.support.tenants.shop import Shop, open_shop

EVENT = UnifiedEvent(channel=Channel.API, text="Où est ma caisse ?")


async def head_of(connection: AsyncConnection, shop: Shop) -> OwnHead | None:
    return (await gather(connection, shop.tenant, EVENT, None)).own_head


async def test_each_message_gets_the_latest_of_its_client(database: Database, shop: Shop) -> None:
    other = await open_shop(database)

    async def gathered(one: Shop) -> OwnHead | None:
        async with database.reading(one.tenant) as connection:
            return await head_of(connection, one)

    assert await gathered(shop) is None
    version = await keep_head(database, shop)
    first = await gathered(shop)
    assert first == OwnHead(version=version, model=MODEL, weights=b"weights")
    assert await gathered(shop) is first, "not read again"
    assert await gathered(other) is None

    newer = await keep_head(database, shop)
    latest = await gathered(shop)
    assert latest is not None
    assert latest.version == newer


async def test_a_removed_head_does_not_stay_in_memory(database: Database, shop: Shop) -> None:
    """An erasure removes the heads that may have learned from the erased ticket."""
    await keep_head(database, shop)
    async with database.tenant(shop.tenant) as connection:
        assert await head_of(connection, shop) is not None
        await OwnHeadRepository(connection, shop.tenant).remove()
        assert await head_of(connection, shop) is None
    assert gather_module._HEADS.get(shop.tenant) is None
