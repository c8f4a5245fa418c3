"""Waiting deliveries: found by their run and by the sweep, and deferred."""

from datetime import datetime, timedelta

import pytest

from adapters.system import utc_now
from domain.webhooks.webhook import RetryPolicy
from store.core.database import Database
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.delivery_sweep import LeftPending, deliveries_left_pending
from store.webhooks.tables import webhook_deliveries
from tests.support.core.rows import only_row
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.deliveries import BROKEN, GOT, SUCCESS, Hooks


async def left(database: Database, before: datetime) -> list[str]:
    """Return the remaining deliveries, in pages of one."""
    found: list[LeftPending] = []
    async with database.service() as connection:
        while page := await deliveries_left_pending(
            connection, before=before, after=found[-1] if found else None, limit=1
        ):
            found += page
    return [one.delivery_id for one in found]


async def test_the_deliveries_of_a_run(mine: Hooks) -> None:
    await mine.subscribe()
    await mine.subscribe()
    of_run = sorted(await mine.tell(run_id="RUN"))
    await mine.tell(run_id="OTHER")
    await mine.tell()

    async def pending() -> list[str]:
        async with mine.connection() as connection:
            return list(
                await DeliveryRepository(connection, mine.shop.tenant).pending_of_run("RUN")
            )

    assert await pending() == of_run
    await mine.send(of_run[0], GOT)
    assert await pending() == of_run[1:]


@pytest.mark.own_database
async def test_what_is_left_pending_is_found_page_by_page(mine: Hooks) -> None:
    theirs = Hooks(mine.database, await open_shop(mine.database))
    await mine.subscribe(retry_policy=RetryPolicy.STANDARD)
    await theirs.subscribe()
    ids = [(await one.tell())[0] for one in (mine, theirs, mine, theirs, mine)]
    await theirs.send(ids[1], GOT)
    retried = await mine.begun(ids[2])
    await mine.finish(retried, BROKEN, retry_in_s=3600.0)

    soon, later = utc_now() + timedelta(seconds=1), utc_now() + timedelta(hours=2)
    assert await left(mine.database, soon) == [ids[0], ids[3], ids[4]]
    assert await left(mine.database, later) == [ids[0], *ids[2:]]
    assert await left(mine.database, utc_now() - timedelta(hours=1)) == []


@pytest.mark.own_database
async def test_what_is_put_off_is_left_alone_until_then(mine: Hooks) -> None:
    await mine.subscribe()
    (delivery_id,) = await mine.tell()
    until = utc_now() + timedelta(minutes=5)

    async with mine.connection() as connection:
        await DeliveryRepository(connection, mine.shop.tenant).put_off(delivery_id, 1, until)

    assert await left(mine.database, until) == []
    assert await left(mine.database, until + timedelta(seconds=1)) == [delivery_id]
    assert await mine.send(delivery_id, GOT) == SUCCESS
    ended = await only_row(mine.database, webhook_deliveries, id=delivery_id)
    assert ended["next_attempt_at"] is None
    async with mine.connection() as connection:
        await DeliveryRepository(connection, mine.shop.tenant).put_off(delivery_id, 1, until)
    assert await only_row(mine.database, webhook_deliveries, id=delivery_id) == ended


async def test_putting_off_a_try_that_has_ended_leaves_the_time_of_the_next(mine: Hooks) -> None:
    """Its activity ran twice, and the second one found no slot."""
    await mine.subscribe(retry_policy=RetryPolicy.STANDARD)
    (delivery_id,) = await mine.tell()
    await mine.finish(await mine.begun(delivery_id), BROKEN, retry_in_s=3600)
    waits = await only_row(mine.database, webhook_deliveries, id=delivery_id)

    async with mine.connection() as connection:
        await DeliveryRepository(connection, mine.shop.tenant).put_off(delivery_id, 1, utc_now())

    assert await only_row(mine.database, webhook_deliveries, id=delivery_id) == waits
