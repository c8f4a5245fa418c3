"""Deliveries: started, attempted, skipped, kept, listed."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from adapters.system import utc_now
from domain.tenants.client import Plan
from domain.webhooks.contracts import DeliverResult
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus, FailureKind
from domain.webhooks.errors import DeliveryNotFound, WebhookNotFound
from domain.webhooks.webhook import KEPT_DELIVERIES, RetryPolicy
from store.webhooks.deliveries import DeliveryRepository, Outgoing
from store.webhooks.subscriptions import WebhookRepository
from store.webhooks.tables import outbox, webhook_deliveries, webhook_misses
from tests.support.core.rows import only_row, rows
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.deliveries import BROKEN, GOT, SKIPPED, SUCCESS, Hooks
from tests.support.webhooks.webhooks import URL


async def test_a_delivery_that_succeeds(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    (delivery_id,) = await mine.tell()
    event = await only_row(mine.database, outbox, client_id=mine.shop.client_id)

    outgoing = await mine.begun(delivery_id)
    assert outgoing.url == URL
    assert outgoing.event_id == event["id"]
    assert outgoing.body == event["body"]
    assert len(outgoing.sealed_secrets) == 1
    assert await mine.finish(outgoing, GOT) == SUCCESS
    assert await mine.begin(delivery_id) == SUCCESS

    row = await only_row(mine.database, webhook_deliveries, id=delivery_id)
    assert row["status"] == "success"
    assert row["attempt"] == 1
    assert row["failure_count_after"] == 0
    assert row["response_status"] == 204
    assert row["request_headers"] == {"X-Service-Event": "playbook.activated"}
    assert row["sent_at"] == row["finished_at"] - timedelta(milliseconds=7)
    assert (await mine.seen(webhook)).failure_count == 0


async def test_a_delivery_that_is_tried_again(mine: Hooks) -> None:
    webhook = await mine.subscribe(retry_policy=RetryPolicy.STANDARD)
    (delivery_id,) = await mine.tell()
    outgoing = await mine.begun(delivery_id)
    now = utc_now()
    waits = DeliverResult(status=DeliveryStatus.PENDING, retry_in_s=5.25)
    assert await mine.finish(outgoing, BROKEN, retry_in_s=5.25, now=now) == waits
    assert await mine.finish(outgoing, GOT, now=now) == waits

    # A repeated activity, or a restarted workflow: it waits until the same time.
    async with mine.connection() as connection:
        deliveries = DeliveryRepository(connection, mine.shop.tenant)
        soon = await deliveries.begin(delivery_id, 1, now + timedelta(seconds=4))
        late = await deliveries.begin(delivery_id, 1, now + timedelta(hours=1))
    assert soon == waits.model_copy(update={"retry_in_s": 1.25})
    assert late == waits.model_copy(update={"retry_in_s": 0.0})
    tried = await mine.record(webhook, delivery_id)
    assert (tried.status, tried.attempt) == (DeliveryStatus.PENDING, 1)
    assert tried.failure_kind is FailureKind.HTTP_5XX
    assert tried.next_attempt_at == now + timedelta(seconds=5.25)
    assert (await mine.seen(webhook)).failure_count == 0

    assert await mine.begin(delivery_id, 2) == outgoing
    assert await mine.finish(outgoing, GOT, attempt=2) == SUCCESS
    ended = await mine.record(webhook, delivery_id)
    assert (ended.status, ended.attempt) == (DeliveryStatus.SUCCESS, 2)
    assert ended.failure_kind is None


async def test_who_comes_with_an_earlier_try_goes_on_at_once(mine: Hooks) -> None:
    await mine.subscribe(retry_policy=RetryPolicy.STANDARD)
    (delivery_id,) = await mine.tell()
    for attempt in (1, 2):
        outgoing = await mine.begun(delivery_id, attempt)
        await mine.finish(outgoing, BROKEN, attempt=attempt, retry_in_s=3600.0)
    anew = await mine.begin(delivery_id, 1)
    assert anew == DeliverResult(status=DeliveryStatus.PENDING, retry_in_s=0.0)


async def test_of_an_answer_4_kib_are_kept_as_text(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    (delivery_id,) = await mine.tell()
    body = b"\0a\xff" + b"x" * 9000
    done = DeliveryAttempt(
        failure=FailureKind.HTTP_4XX, duration_ms=1, response_status=400, response_body=body
    )
    await mine.send(delivery_id, done)
    kept = (await mine.record(webhook, delivery_id)).response_body
    assert kept == "a\N{REPLACEMENT CHARACTER}" + "x" * (4096 - 3)


async def test_a_disabled_webhook_gets_nothing_but_tests(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    waiting = await mine.tell()
    await mine.pause(webhook)
    assert await mine.tell() == ()
    assert await mine.begin(waiting[0]) == SKIPPED
    assert await mine.begin(waiting[0]) == SKIPPED
    skipped = await mine.record(webhook, waiting[0])
    assert skipped.status is DeliveryStatus.SKIPPED
    assert skipped.attempt == 0
    assert skipped.finished_at is not None
    assert (await mine.seen(webhook)).missed == 2

    sample = await mine.sample_to(webhook)
    assert await mine.send(sample, GOT) == SUCCESS
    after = await mine.seen(webhook)
    assert (after.is_active, after.missed) == (False, 2)


async def test_below_pro_nothing_is_sent(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    (delivery_id,) = await mine.tell()
    await mine.set_plan(Plan.STARTER)
    sample = await mine.sample_to(webhook)
    assert await mine.begin(delivery_id) == SKIPPED
    assert await mine.begin(sample) == SKIPPED
    assert await mine.tell() == ()
    after = await mine.seen(webhook)
    assert (after.is_active, after.missed) == (True, 1)
    await mine.set_plan(Plan.PRO)
    (again,) = await mine.replay_missed(webhook)
    assert await mine.send(again, GOT) == SUCCESS


async def test_a_webhook_deleted_in_the_middle_of_a_post(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    (delivery_id,) = await mine.tell()
    outgoing = await mine.begun(delivery_id)
    await mine.delete(webhook)
    assert await mine.finish(outgoing, BROKEN) == SKIPPED
    assert await mine.finish(outgoing, BROKEN, retry_in_s=1.0) == SKIPPED
    assert await mine.begin(delivery_id) == SKIPPED
    assert await rows(mine.database, webhook_deliveries, of=mine.shop) == []
    assert await rows(mine.database, webhook_misses, of=mine.shop) == []


async def test_the_last_50_to_end_are_kept_and_all_that_wait(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    other = await mine.subscribe(events=("ticket.resolved",))
    waiting = [(await mine.tell())[0] for _ in range(4)]
    *_, oldest = waiting
    late = await mine.begun(oldest)
    await mine.told_and_sent(GOT, KEPT_DELIVERIES + 3)
    # It was created before all of them: its end time counts, or nobody would ever see it.
    await mine.finish(late, BROKEN)
    await mine.told_and_sent(GOT, 2)
    await mine.finish(late, BROKEN)  # A retry: nothing is deleted for it.

    found = await mine.listed(webhook)
    assert [one.id for one in found] == sorted((one.id for one in found), reverse=True)
    state = Counter(one.status for one in found)
    assert state == {
        DeliveryStatus.PENDING: 3,
        DeliveryStatus.SUCCESS: KEPT_DELIVERIES - 1,
        DeliveryStatus.FAILED: 1,
    }
    assert (
        len(await rows(mine.database, webhook_deliveries, of=mine.shop, webhook_id=webhook.id))
        == 53
    )
    assert await mine.listed(other) == ()


async def test_of_another_tenant_nothing_is_found(mine: Hooks) -> None:
    theirs = Hooks(mine.database, await open_shop(mine.database))
    webhook = await mine.subscribe()
    await theirs.subscribe()
    (delivery_id,) = await mine.tell()
    outgoing = await mine.begun(delivery_id)
    assert await theirs.begin(delivery_id) == SKIPPED
    assert await theirs.finish(outgoing, BROKEN) == SKIPPED
    assert await theirs.finish(outgoing, BROKEN, retry_in_s=1.0) == SKIPPED
    for missing in (
        theirs.listed(webhook),
        theirs.replay_missed(webhook),
        theirs.sample_to(webhook),
    ):
        with pytest.raises(WebhookNotFound):
            await missing
    await mine.finish(outgoing, BROKEN)
    for unknown in (
        theirs.record(webhook, delivery_id),
        theirs.replay(webhook, delivery_id),
    ):
        with pytest.raises(DeliveryNotFound):
            await unknown
    assert len(await mine.listed(webhook)) == 1


async def test_a_delivery_is_found_only_with_its_own_webhook(mine: Hooks) -> None:
    await mine.subscribe()
    (delivery_id,) = await mine.tell()
    await mine.send(delivery_id, GOT)
    other = await mine.subscribe()
    for unknown in (
        mine.record(other, delivery_id),
        mine.replay(other, delivery_id),
    ):
        with pytest.raises(DeliveryNotFound):
            await unknown


async def test_what_is_enabled_while_it_is_to_be_skipped_is_sent(mine: Hooks) -> None:
    """Otherwise it would be missed after the replay of all missed events."""
    webhook = await mine.subscribe()
    (delivery_id,) = await mine.tell()
    await mine.pause(webhook)
    async with mine.connection() as connection:
        await WebhookRepository(connection, mine.shop.tenant).enable(webhook.id)
        beginning = asyncio.ensure_future(mine.begin(delivery_id))
        await asyncio.sleep(0.5)
        assert not beginning.done(), "it waits for what becomes of the webhook"

    assert isinstance(await beginning, Outgoing)
    assert (await mine.seen(webhook)).missed == 0
