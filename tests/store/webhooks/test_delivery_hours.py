"""The number of ended deliveries in each of the last 24 hours."""

from datetime import timedelta

from adapters.system import utc_now
from store.core.database import Database
from store.webhooks.delivery_hours import HOURS, DeliveryHour, DeliveryHours
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.deliveries import BROKEN, GOT, Hooks


async def test_hours_count_what_ended_by_webhook(
    database: Database, shop: Shop, mine: Hooks
) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(GOT, 2)
    await mine.told_and_sent(BROKEN)
    await mine.tell()
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        hours = DeliveryHours(connection, shop.tenant)
        latest = (await hours.all(now))[webhook.id]
        later = (await hours.all(now + timedelta(hours=3)))[webhook.id]
        gone = await hours.all(now + timedelta(hours=HOURS, minutes=1))

    assert len(latest) == HOURS
    assert latest[-1] == DeliveryHour(ended=3, failed=1)
    assert later[-4] == DeliveryHour(ended=3, failed=1)
    assert sum(one.ended for one in later) == 3
    assert gone == {}

    other = await open_shop(database)
    async with database.tenant(other.tenant) as connection:
        assert await DeliveryHours(connection, other.tenant).all(now) == {}
