"""The last successful use of a connection."""

from datetime import timedelta

from adapters.system import new_ulid, utc_now
from store.inbound.last_signs import LastSigns, LastSignsReader
from tests.support.analytics.days import past_event
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop


async def test_the_last_order_that_was_found(front: LiveEngine, shop: Shop) -> None:
    asked, silent, now = new_ulid(), new_ulid(), utc_now()
    found = {"state": "found", "order": {"integration_id": asked}}
    for days in (2, 1):
        await past_event(front.database, shop, now - timedelta(days=days), lookup=found)
    await past_event(front.database, shop, now, lookup={"state": "not_found"})

    async with front.database.reading(shop.tenant) as connection:
        signs = await LastSignsReader(connection, shop.tenant).of([asked, silent])

    last = now - timedelta(days=1)
    assert signs == {asked: LastSigns(found=last), silent: LastSigns()}
    assert (signs[asked].last, signs[silent].last) == (last, None)
