"""The demo shop is created through the ordinary use cases."""

from collections import Counter
from pathlib import Path

import pytest

from adapters.system import new_ulid
from demo.content import OWNER
from demo.seed import PATTERNS, seed
from demo.webhook import DemoWebhook, Destination, pause, point, subscribe, waiting
from domain.core.ids import TenantId
from domain.tenants.client import Plan
from domain.webhooks.errors import InvalidWebhook
from store.core.database import Database
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions
from tests.support.core.rows import only_row, rows
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop
from tests.support.webhooks.deliveries import Hooks
from tests.support.webhooks.told import told_events
from tests.support.webhooks.webhooks import SEALER

HERE = Destination("https://localhost:9443/webhooks", allow_private=True)


async def test_what_its_making_tells_is_sent(database: Database, tmp_path: Path) -> None:
    engine, tenant = Recorder(), TenantId(new_ulid())
    async with units_on(database, engine).spanning(tenant) as work:
        made = await seed(work, tmp_path / "orders", SEALER, to=HERE)
    assert made.client_id == tenant
    told = await rows(database, webhook_deliveries, client_id=tenant)
    assert Counter(row["event"] for row in told) == {
        "playbook.activated": len(PATTERNS), "integration.connected": 1,
    }  # fmt: skip
    ids = {row["id"] for row in told}
    assert ids == set(engine.sent) == set(await waiting(database, tenant, made.webhook))
    activated = await told_events(database, client_id=tenant, event="playbook.activated")
    assert {one.data["actor"] for one in activated} == {OWNER}


async def test_a_receiver_that_workers_would_not_call(database: Database, shop: Shop) -> None:
    private = Destination(HERE.url, allow_private=False)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidWebhook):
            await subscribe(work, private, SEALER)


async def test_pointed_to_its_receiver_and_paused(database: Database, shop: Shop) -> None:
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        assert not await point(work, DemoWebhook(id=new_ulid()), HERE)
        webhook = await subscribe(work, HERE, SEALER)
    await pause(units, shop.tenant, webhook)
    assert not (await only_row(database, webhook_subscriptions, of=shop))["is_active"]
    moved = Destination("https://localhost:9444/webhooks", allow_private=True)
    async with units.of(shop.tenant) as work:
        assert await point(work, webhook, moved)
    row = await only_row(database, webhook_subscriptions, of=shop)
    assert (row["url"], row["is_active"]) == (moved.url, True)


async def test_pausing_is_no_obstacle_to_ending(database: Database, shop: Shop) -> None:
    """Another user may have deleted the webhook, or downgraded the plan."""
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        webhook = await subscribe(work, HERE, SEALER)
    await Hooks(database, shop).set_plan(Plan.FREE)
    await pause(units, shop.tenant, webhook)
    assert (await only_row(database, webhook_subscriptions, of=shop))["is_active"]
    await pause(units, shop.tenant, DemoWebhook(id=new_ulid()))
