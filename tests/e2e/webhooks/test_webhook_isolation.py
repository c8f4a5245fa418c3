"""A tenant with hanging receivers delays no other tenant, and the sweeper does not make it
worse."""

import dataclasses
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from adapters.observability.metrics import Metrics
from adapters.system import utc_now
from adapters.temporal.connection import connect
from adapters.webhooks import HttpWebhookSender
from store.webhooks.delivery_sweep import deliveries_left_pending
from store.webhooks.tables import webhook_deliveries
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.holding import Holding
from tests.support.webhooks.webhook_engine import ended, sending_engine, subscribed
from tests.support.webhooks.webhooks import tell
from workers.webhooks import build_activities

# It measures time, or loads the machine.
pytestmark = pytest.mark.alone

# For each hanging tenant, 8 are in progress and 24 wait.
HELD = 32
PUT_OFF = 16


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as one:
        yield one


@pytest.fixture
async def engine(
    database_url: str, temporal: TemporalServer, mail: MailServer, receiver: WebhookReceiver
) -> AsyncIterator[LiveEngine]:
    """An engine whose POSTs may hang longer than this test, even on a slow machine."""
    async with sending_engine(database_url, temporal, receiver, smtp_url=mail.url) as one:
        sender = HttpWebhookSender(allow_private=True, ca_file=receiver.ca_file, budget_s=120)
        one.deliveries = build_activities(one.settings, one.worker_database, sender, Metrics())
        yield one


async def test_hanging_receivers_of_one_tenant_delay_nobody_else(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    other = await open_shop(engine.database)
    holding = Holding(lambda it: json.loads(it.body)["client_id"] == shop.client_id)
    receiver.decide(holding)
    for _ in range(4):
        await subscribed(engine, shop, receiver)
    await subscribed(engine, other, receiver)
    hanging = [
        one for _ in range((HELD + PUT_OFF) // 4) for one in await tell(engine.database, shop)
    ]
    async with engine.delivering():
        await engine.engine.send_webhooks(shop.client_id, hanging)
        put_off = await eventually(lambda: _put_off(engine, PUT_OFF))
        for _ in range(3):
            (delivery_id,) = await tell(engine.database, other)
            await engine.engine.send_webhooks(other.client_id, [delivery_id])
            assert (await ended(engine, delivery_id))["status"] == "success"

        still = await rows(engine.database, webhook_deliveries, client_id=shop.client_id)
        assert {one["status"] for one in still} == {"pending"}
        async with engine.database.service() as connection:
            due = await deliveries_left_pending(
                connection, before=utc_now(), after=None, limit=len(hanging)
            )
        assert not {one.delivery_id for one in due} & {one["id"] for one in put_off}
        holding.let_go()
        for delivery_id in hanging:
            assert (await ended(engine, delivery_id))["status"] == "success"


async def _put_off(engine: LiveEngine, count: int) -> list[dict[str, Any]] | None:
    """Wait until this many deliveries have been deferred for lack of a slot; return them."""
    now = utc_now()
    found = [
        one
        for one in await rows(engine.database, webhook_deliveries)
        if one["next_attempt_at"] is not None and one["next_attempt_at"] > now
    ]
    return found if len(found) >= count else None


async def test_two_workers_together_bring_an_endpoint_four_at_a_time(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    holding = Holding(lambda _: True)
    receiver.decide(holding)
    await subscribed(engine, shop, receiver)
    deliveries = [(await tell(engine.database, shop))[0] for _ in range(12)]
    other = await _another(engine, receiver)
    async with engine.delivering(), other.delivering():
        await engine.engine.send_webhooks(shop.client_id, deliveries)
        await receiver.received(4)
        # Deliveries of the worker without free slots are deferred in the end.
        await eventually(lambda: _put_off(engine, 1))
        assert len(receiver.seen) == 4
        holding.let_go()
        for delivery_id in deliveries:
            assert (await ended(engine, delivery_id))["status"] == "success"
    assert len(receiver.seen) == 12


async def _another(engine: LiveEngine, receiver: WebhookReceiver) -> LiveEngine:
    """Run a second worker with its own Temporal client, session and permits."""
    sender = HttpWebhookSender(allow_private=True, ca_file=receiver.ca_file, budget_s=120)
    built = build_activities(engine.settings, engine.worker_database, sender, Metrics())
    client = await connect(engine.settings.temporal)
    return dataclasses.replace(engine, client=client, deliveries=built)
