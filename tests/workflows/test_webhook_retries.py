"""Deliveries that fail: tried again or not, counted, and the owner told."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from temporalio.service import RPCError

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import utc_now
from domain.core import names
from domain.runs.contracts import SweepInput
from domain.webhooks import delivery
from domain.webhooks.errors import Deferred
from domain.webhooks.webhook import RetryPolicy
from store.webhooks.subscriptions import WebhookChange, WebhookRepository
from store.webhooks.tables import webhook_deliveries, webhook_misses, webhook_subscriptions
from tests.support.core.engine import LiveEngine, database_away
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import (
    Received,
    Reply,
    WebhookReceiver,
    webhook_receiver,
)
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_engine import delivery_of, ended, sending_engine, subscribed
from tests.support.webhooks.webhooks import subscribe, tell
from workflows import options

pytestmark = pytest.mark.own_database


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as one:
        yield one


@pytest.fixture
async def idle(
    database_url: str, temporal: TemporalServer, mail: MailServer, receiver: WebhookReceiver
) -> AsyncIterator[LiveEngine]:
    async with sending_engine(database_url, temporal, receiver, smtp_url=mail.url) as one:
        yield one


@pytest.fixture
async def engine(idle: LiveEngine) -> AsyncIterator[LiveEngine]:
    async with idle.working(), idle.delivering():
        yield idle


@pytest.fixture
def quick_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two retries, at once."""
    monkeypatch.setattr(delivery, "SCHEDULE", (0.01, 0.01))


async def send(engine: LiveEngine, shop: Shop) -> str:
    """Let something happen, and have it sent. The delivery's id."""
    (delivery_id,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [delivery_id])
    return delivery_id


async def sent(engine: LiveEngine, shop: Shop) -> dict[str, Any]:
    """The same, and its record when it has ended."""
    return await ended(engine, await send(engine, shop))


async def subscription(engine: LiveEngine) -> dict[str, Any]:
    return await only_row(engine.database, webhook_subscriptions)


async def mailed(mail: MailServer, count: int) -> list[str]:
    """The subjects, as soon as there are so many mails."""

    async def arrived() -> list[str] | None:
        return [one["Subject"] for one in mail.mails] if len(mail.mails) >= count else None

    return await eventually(arrived)


async def test_twenty_failures_disable_once_and_each_warning_is_one_mail(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, mail: MailServer
) -> None:
    await subscribed(engine, shop, receiver)
    receiver.answer(500)
    deliveries = [(await tell(engine.database, shop))[0] for _ in range(25)]

    await engine.engine.send_webhooks(shop.client_id, deliveries)
    records = [await ended(engine, delivery_id) for delivery_id in deliveries]

    webhook = await subscription(engine)
    assert (webhook["is_active"], webhook["failure_count"]) == (False, 20)
    assert webhook["disabled_reason"] == "failures"
    assert sum(record["disabled_webhook"] for record in records) == 1
    assert {record["failure_kind"] for record in records} <= {"http_5xx", None}
    assert len(await rows(engine.database, webhook_misses)) == 25
    assert sorted(await mailed(mail, 3)) == [
        "Votre webhook « test » est désactivé",
        "Votre webhook « test » est en échec",
        "Votre webhook « test » est en échec",
    ]
    for delivery_id in deliveries:
        await delivery_of(engine, shop, delivery_id).result()
    assert len(mail.mails) == 3
    owner = f"{shop.client_id.lower()}@example.com"
    for one in mail.mails:
        assert (one["To"], one["Auto-Submitted"]) == (owner, "auto-generated")
        assert receiver.url in one.get_content()
        assert "erreur du récepteur (HTTP 500)" in one.get_content()
    assert len({one["Message-ID"] for one in mail.mails}) == 3
    # Nothing more goes there.
    before = len(receiver.seen)
    assert await tell(engine.database, shop) == ()
    assert len(receiver.seen) == before


async def test_by_default_a_failure_is_final(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver)
    receiver.answer(503, headers={"Retry-After": "1"})

    record = await sent(engine, shop)

    assert (record["status"], record["attempt"]) == ("failed", 1)
    assert (await subscription(engine))["failure_count"] == 1
    assert len(receiver.seen) == 1
    of_failure = {"status": "failed", "failure": "http_5xx"}
    assert engine.metrics.registry.get_sample_value("engine_webhook_tries_total", of_failure) == 1


@pytest.mark.usefixtures("quick_schedule")
async def test_with_retries_it_is_the_same_event_until_it_is_taken(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)

    def taken_at_last(request: Received) -> Reply:
        return Reply(200 if request.headers["x-service-attempt"] == "3" else 500)

    receiver.decide(taken_at_last)

    record = await sent(engine, shop)

    assert (record["status"], record["attempt"]) == ("success", 3)
    assert (await subscription(engine))["failure_count"] == 0
    assert [one.headers["x-service-attempt"] for one in receiver.seen] == ["1", "2", "3"]
    assert len({one.headers["webhook-id"] for one in receiver.seen}) == 1
    assert len({one.body for one in receiver.seen}) == 1


@pytest.mark.usefixtures("quick_schedule")
async def test_a_delivery_that_gives_up_is_counted_once(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(404)

    record = await sent(engine, shop)

    assert (record["status"], record["attempt"], record["failure_kind"]) == (
        "failed",
        3,
        "http_4xx",
    )
    assert (await subscription(engine))["failure_count"] == 1


async def test_retry_after_is_waited_for_and_not_swept(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(503, headers={"Retry-After": "7200"})
    asked = utc_now()
    delivery_id = await send(engine, shop)

    async def put_off() -> dict[str, Any] | None:
        found = await only_row(engine.database, webhook_deliveries, id=delivery_id)
        return found if found["next_attempt_at"] else None

    record = await eventually(put_off)
    wait = record["next_attempt_at"] - asked
    assert record["status"] == "pending"
    assert timedelta(hours=2) <= wait <= timedelta(hours=2.3)
    swept = await engine.client.execute_workflow(
        names.SWEEP, SweepInput(older_than_s=0), id="sweep", task_queue=names.ENGINE_QUEUE
    )
    assert swept["picked_up"] == 0
    await delivery_of(engine, shop, delivery_id).terminate()


async def test_who_is_gone_is_told_nothing_more(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, mail: MailServer
) -> None:
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)

    record = await sent(engine, shop)

    assert (record["status"], record["attempt"]) == ("failed", 1)
    webhook = await subscription(engine)
    assert (webhook["is_active"], webhook["disabled_reason"]) == (False, "gone")
    await mailed(mail, 1)
    assert "410" in mail.mails[0].get_content()


async def test_without_retries_gone_is_a_failure_like_others(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver)
    receiver.answer(410)

    await sent(engine, shop)

    webhook = await subscription(engine)
    assert (webhook["is_active"], webhook["failure_count"]) == (True, 1)


async def test_disabled_before_it_was_sent_it_is_skipped_and_missed(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(engine, shop, receiver)
    (delivery_id,) = await tell(engine.database, shop)
    async with engine.database.tenant(shop.tenant) as connection:
        pause = WebhookChange(pause=True)
        await WebhookRepository(connection, shop.tenant).change(webhook.id, pause, utc_now())

    await engine.engine.send_webhooks(shop.client_id, [delivery_id])

    assert (await ended(engine, delivery_id))["status"] == "skipped"
    assert len(await rows(engine.database, webhook_misses)) == 1
    assert receiver.seen == []


async def test_deleted_before_it_was_sent_it_ends(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(engine, shop, receiver)
    (delivery_id,) = await tell(engine.database, shop)
    async with engine.database.tenant(shop.tenant) as connection:
        await WebhookRepository(connection, shop.tenant).delete(webhook.id)

    await engine.engine.send_webhooks(shop.client_id, [delivery_id])

    assert await _result(engine, shop, delivery_id) == {"status": "skipped"}
    assert receiver.seen == []


async def test_deleted_while_it_was_sent_it_ends(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(engine, shop, receiver)
    receiver.answer(500, after_s=1)
    delivery_id = await send(engine, shop)
    await receiver.received(1)
    async with engine.database.tenant(shop.tenant) as connection:
        await WebhookRepository(connection, shop.tenant).delete(webhook.id)

    assert await _result(engine, shop, delivery_id) == {"status": "skipped"}


async def test_the_owner_is_told_as_soon_as_mail_goes_out(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, mail: MailServer
) -> None:
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)
    mail.recipient_reply = "451 later"
    delivery_id = await send(engine, shop)

    async def put_off() -> bool:
        return mail.refused > 0

    await eventually(put_off)
    mail.recipient_reply = "250 ok"
    await mailed(mail, 1)
    await _result(engine, shop, delivery_id)
    assert len(mail.mails) == 1


@pytest.mark.parametrize("reply", ["550 no such user", None])
async def test_a_mail_that_is_refused_or_lost_is_not_sent_again(
    engine: LiveEngine,
    shop: Shop,
    receiver: WebhookReceiver,
    mail: MailServer,
    reply: str | None,
) -> None:
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)
    mail.reply = reply
    delivery_id = await send(engine, shop)

    assert await _result(engine, shop, delivery_id) == {"status": "failed"}
    assert len(mail.mails) == 1


async def test_mail_that_never_goes_out_ends_with_the_time_for_it(
    engine: LiveEngine,
    shop: Shop,
    receiver: WebhookReceiver,
    mail: MailServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(options.TELLING, "schedule_to_close_timeout", timedelta(seconds=1))
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)
    mail.recipient_reply = "451 later"
    delivery_id = await send(engine, shop)

    assert await _result(engine, shop, delivery_id) == {"status": "failed"}


async def test_the_record_is_insisted_on_while_the_database_is_away(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver)
    answer = asyncio.Event()
    loop = asyncio.get_running_loop()

    def when_told(_: Received) -> Reply:
        asyncio.run_coroutine_threadsafe(answer.wait(), loop).result(30)
        return Reply()

    receiver.decide(when_told)
    delivery_id = await send(engine, shop)
    await receiver.received(1)
    with database_away(engine.worker_database) as refused:
        answer.set()
        await eventually(lambda: refused(2))

    record = await ended(engine, delivery_id)
    assert (record["status"], len(receiver.seen)) == ("success", 1)


async def test_a_worker_that_is_told_to_end_ends_its_post_and_begins_no_other(
    idle: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(idle, shop, receiver)
    answer = asyncio.Event()
    loop = asyncio.get_running_loop()

    def when_told(_: Received) -> Reply:
        asyncio.run_coroutine_threadsafe(answer.wait(), loop).result(30)
        return Reply()

    receiver.decide(when_told)
    deliveries = [(await tell(idle.database, shop))[0] for _ in range(6)]
    stack = AsyncExitStack()
    await stack.enter_async_context(idle.delivering())
    await idle.engine.send_webhooks(shop.client_id, deliveries)
    await receiver.received(4)  # the endpoint's places; two wait

    async def gives_no_permits() -> bool:
        try:
            async with idle.deliveries.permits.of(shop.client_id, "another"):
                return False
        except Deferred:
            return True

    ending = asyncio.create_task(stack.aclose())
    await eventually(gives_no_permits)
    answer.set()
    await ending

    done = [one["status"] for one in await rows(idle.database, webhook_deliveries)]
    assert (sorted(done), len(receiver.seen)) == (["pending"] * 2 + ["success"] * 4, 4)


async def test_a_key_of_ours_that_is_lost_is_no_failure_of_the_receiver(
    idle: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    lost = FernetSealer(new_seal_key())
    await subscribe(idle.database, shop, url=receiver.url, sealer=lost)
    async with idle.delivering():
        delivery_id = await send(idle, shop)
        run = delivery_of(idle, shop, delivery_id)

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
        record = await only_row(idle.database, webhook_deliveries)
        assert (record["status"], (await subscription(idle))["failure_count"]) == ("pending", 0)
        # The key is back.
        async with idle.database.service() as connection:
            mine = FernetSealer(idle.settings.seal.key.get_secret_value())
            sealed = mine.seal(lost.unseal((await subscription(idle))["secret_sealed"]))
            await connection.execute(sa.update(webhook_subscriptions).values(secret_sealed=sealed))
        assert (await ended(idle, delivery_id))["status"] == "success"
    assert len(receiver.seen) == 1


async def _result(engine: LiveEngine, shop: Shop, delivery_id: str) -> dict[str, str]:
    """What the delivery's workflow ends with, once it has begun."""
    run = delivery_of(engine, shop, delivery_id)

    async def begun() -> bool:
        try:
            await run.describe()
        except RPCError:
            return False
        return True

    await eventually(begun)
    result: dict[str, str] = await run.result()
    return result
