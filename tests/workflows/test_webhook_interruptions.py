"""Interruptions between an event and its delivery: pauses, deletions, outages, a lost key."""

import asyncio
from contextlib import AsyncExitStack

import pytest
import sqlalchemy as sa
from temporalio.service import RPCError

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import utc_now
from domain.webhooks.errors import Deferred
from store.webhooks.subscriptions import WebhookChange, WebhookRepository
from store.webhooks.tables import webhook_deliveries, webhook_misses, webhook_subscriptions
from tests.support.core.engine import LiveEngine, database_away
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.webhook_receiver import (
    Received,
    Reply,
    WebhookReceiver,
)
from tests.support.tenants.shop import Shop
from tests.support.webhooks.sent import result_of, send, subscription
from tests.support.webhooks.webhook_engine import delivery_of, ended, subscribed
from tests.support.webhooks.webhooks import subscribe, tell

pytestmark = pytest.mark.own_database


async def test_disabled_before_it_was_sent_it_is_skipped_and_missed(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(sender, shop, receiver)
    (delivery_id,) = await tell(sender.database, shop)
    async with sender.database.tenant(shop.tenant) as connection:
        pause = WebhookChange(pause=True)
        await WebhookRepository(connection, shop.tenant).change(webhook.id, pause, utc_now())

    await sender.engine.send_webhooks(shop.client_id, [delivery_id])

    assert (await ended(sender, delivery_id))["status"] == "skipped"
    assert len(await rows(sender.database, webhook_misses)) == 1
    assert receiver.seen == []


async def test_deleted_before_it_was_sent_it_ends(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(sender, shop, receiver)
    (delivery_id,) = await tell(sender.database, shop)
    async with sender.database.tenant(shop.tenant) as connection:
        await WebhookRepository(connection, shop.tenant).delete(webhook.id)

    await sender.engine.send_webhooks(shop.client_id, [delivery_id])

    assert await result_of(sender, shop, delivery_id) == {"status": "skipped"}
    assert receiver.seen == []


async def test_deleted_while_it_was_sent_it_ends(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(sender, shop, receiver)
    receiver.answer(500, after_s=1)
    delivery_id = await send(sender, shop)
    await receiver.received(1)
    async with sender.database.tenant(shop.tenant) as connection:
        await WebhookRepository(connection, shop.tenant).delete(webhook.id)

    assert await result_of(sender, shop, delivery_id) == {"status": "skipped"}


async def test_the_record_is_insisted_on_while_the_database_is_away(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver)
    answer = asyncio.Event()
    loop = asyncio.get_running_loop()

    def when_told(_: Received) -> Reply:
        asyncio.run_coroutine_threadsafe(answer.wait(), loop).result(30)
        return Reply()

    receiver.decide(when_told)
    delivery_id = await send(sender, shop)
    await receiver.received(1)
    with database_away(sender.worker_database) as refused:
        answer.set()
        await eventually(lambda: refused(2))

    record = await ended(sender, delivery_id)
    assert (record["status"], len(receiver.seen)) == ("success", 1)


async def test_a_worker_that_is_told_to_end_ends_its_post_and_begins_no_other(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(idle_sender, shop, receiver)
    answer = asyncio.Event()
    loop = asyncio.get_running_loop()

    def when_told(_: Received) -> Reply:
        asyncio.run_coroutine_threadsafe(answer.wait(), loop).result(30)
        return Reply()

    receiver.decide(when_told)
    deliveries = [(await tell(idle_sender.database, shop))[0] for _ in range(6)]
    stack = AsyncExitStack()
    await stack.enter_async_context(idle_sender.delivering())
    await idle_sender.engine.send_webhooks(shop.client_id, deliveries)
    await receiver.received(4)  # the endpoint's slots; two wait

    async def gives_no_permits() -> bool:
        try:
            async with idle_sender.deliveries.delivery_limiter.of(shop.client_id, "another"):
                return False
        except Deferred:
            return True

    ending = asyncio.create_task(stack.aclose())
    await eventually(gives_no_permits)
    answer.set()
    await ending

    done = [one["status"] for one in await rows(idle_sender.database, webhook_deliveries)]
    assert (sorted(done), len(receiver.seen)) == (["pending"] * 2 + ["success"] * 4, 4)


async def test_a_key_of_ours_that_is_lost_is_no_failure_of_the_receiver(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    lost = FernetSealer(new_seal_key())
    await subscribe(idle_sender.database, shop, url=receiver.url, sealer=lost)
    async with idle_sender.delivering():
        delivery_id = await send(idle_sender, shop)
        run = delivery_of(idle_sender, shop, delivery_id)

        async def failed_twice() -> bool:
            try:
                pending = (await run.describe()).raw_description.pending_activities
            except RPCError:
                return False
            return any(
                one.attempt > 2 and one.last_failure.application_failure_info.type == "ValueError"
                for one in pending
            )

        await eventually(failed_twice)
        record = await only_row(idle_sender.database, webhook_deliveries)
        assert (record["status"], (await subscription(idle_sender))["failure_count"]) == (
            "pending",
            0,
        )
        # The key is available again.
        async with idle_sender.database.service() as connection:
            mine = FernetSealer(idle_sender.settings.seal.key.get_secret_value())
            sealed = mine.seal(lost.unseal((await subscription(idle_sender))["secret_sealed"]))
            await connection.execute(sa.update(webhook_subscriptions).values(secret_sealed=sealed))
        assert (await ended(idle_sender, delivery_id))["status"] == "success"
    assert len(receiver.seen) == 1
