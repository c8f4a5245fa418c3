"""The effect of ended deliveries on their webhook, under concurrency."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from adapters.system import utc_now
from domain.webhooks.contracts import DeliverResult
from domain.webhooks.delivery import DeliveryStatus, Trigger
from domain.webhooks.webhook import KEPT_DELIVERIES, DisabledReason, Notice, RetryPolicy
from store.webhooks.tables import webhook_deliveries
from store.webhooks.webhook_failure_notice import webhook_failure_notice
from tests.support.core.rows import rows
from tests.support.webhooks.deliveries import BROKEN, FAILED, GONE, GOT, SKIPPED, SUCCESS, Hooks


async def test_60_failures_at_once_disable_once(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    ids = [(await mine.tell())[0] for _ in range(60)]
    begun = [await mine.begun(delivery_id) for delivery_id in ids]

    results = await asyncio.gather(*(mine.finish(one, BROKEN) for one in begun))

    assert Counter(result.notice for result in results) == {
        None: 57,
        Notice.FAILING: 2,
        Notice.DISABLED: 1,
    }
    after = await mine.seen(webhook)
    assert not after.is_active
    assert after.failure_count == 20
    assert after.disabled_reason is DisabledReason.FAILURES
    assert after.missed == 60
    listed = await mine.listed(webhook)
    assert len(listed) == 50
    assert {one.status for one in listed} == {"failed"}
    kept = await rows(mine.database, webhook_deliveries, of=mine.shop, webhook_id=webhook.id)
    counts = {row["failure_count_after"] for row in kept}
    assert {10, 15, 20} <= counts, "the owner has not heard of them yet"
    assert 50 <= len(kept) <= 53


async def test_what_the_owner_hears_of_outlives_all_that_ends_after_it(mine: Hooks) -> None:
    """A worker was killed with its result, or the SMTP server is unavailable: other deliveries
    continue to end."""
    webhook = await mine.subscribe()
    waiting = [(await mine.tell())[0] for _ in range(KEPT_DELIVERIES + 10)]
    await mine.told_and_sent(BROKEN, 19)
    (last,) = await mine.tell()
    disabled = await mine.send(last, BROKEN)
    assert disabled.notice is Notice.DISABLED
    for delivery_id in waiting:
        assert await mine.begin(delivery_id) == SKIPPED

    assert await mine.begin(last) == disabled
    async with mine.database.service() as connection:
        told = await webhook_failure_notice(connection, mine.shop.tenant, last)
    assert told is not None
    assert told.failures == 20
    listed = await mine.listed(webhook)
    assert len(listed) == KEPT_DELIVERIES
    assert {one.status for one in listed} == {"skipped"}
    kept = await rows(mine.database, webhook_deliveries, of=mine.shop, webhook_id=webhook.id)
    assert len(kept) == KEPT_DELIVERIES + 3, "with both warnings"

    tomorrow = utc_now() + timedelta(days=1, minutes=1)
    sample = await mine.sample_to(webhook)
    await mine.finish(await mine.begun(sample), GOT, now=tomorrow)
    kept = await rows(mine.database, webhook_deliveries, of=mine.shop, webhook_id=webhook.id)
    assert len(kept) == KEPT_DELIVERIES


async def test_a_repetition_gets_the_first_result(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 9)
    (delivery_id,) = await mine.tell()
    outgoing = await mine.begun(delivery_id)
    warned = DeliverResult(status=DeliveryStatus.FAILED, notice=Notice.FAILING)
    assert await mine.finish(outgoing, BROKEN) == warned
    first = await mine.record(webhook, delivery_id)
    await mine.told_and_sent(GOT)

    assert await mine.finish(outgoing, BROKEN) == warned
    assert await mine.finish(outgoing, GOT) == warned
    assert await mine.begin(delivery_id) == warned

    assert await mine.record(webhook, delivery_id) == first
    assert (await mine.seen(webhook)).failure_count == 0


@pytest.mark.parametrize("retries_first", [True, False])
async def test_the_same_try_ended_twice_at_once_counts_once(
    mine: Hooks, retries_first: bool
) -> None:
    webhook = await mine.subscribe()
    (delivery_id,) = await mine.tell()
    outgoing = await mine.begun(delivery_id)
    waits = [60.0] * 3 if retries_first else []
    results = await asyncio.gather(
        *(
            mine.finish(outgoing, BROKEN, retry_in_s=retry_in_s)
            for retry_in_s in [*waits, None, None, None, None]
        )
    )
    # The first outcome decides for all.
    (status,) = {result.status for result in results}
    failed = status is DeliveryStatus.FAILED
    assert (await mine.seen(webhook)).failure_count == failed
    assert (await mine.record(webhook, delivery_id)).status is status


async def test_a_success_between_failures_resets(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 19)
    await mine.told_and_sent(GOT)
    assert (await mine.seen(webhook)).failure_count == 0
    results = await mine.told_and_sent(BROKEN, 20)
    assert [n + 1 for n, result in enumerate(results) if result.notice] == [10, 15, 20]
    assert results[-1].notice is Notice.DISABLED


async def test_successes_and_failures_at_once(mine: Hooks) -> None:
    """The count matches a serial order, which the records state."""
    webhook = await mine.subscribe()
    ids = [(await mine.tell())[0] for _ in range(40)]
    begun = [await mine.begun(delivery_id) for delivery_id in ids]
    await asyncio.gather(
        *(mine.finish(one, GOT if number % 4 == 0 else BROKEN) for number, one in enumerate(begun))
    )
    counts = Counter(one.failure_count_after for one in await mine.listed(webhook))
    assert counts[0] == 10
    assert sum(counts.values()) == 40
    # Each failure increased an existing count by one.
    for count in range(2, 1 + max(number or 0 for number in counts)):
        assert counts[count] <= counts[count - 1]


async def test_what_ends_late_changes_nothing_on_a_disabled_webhook(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    late = [(await mine.tell())[0] for _ in range(3)]
    begun = [await mine.begun(delivery_id) for delivery_id in late]
    await mine.told_and_sent(BROKEN, 20)
    before = await mine.seen(webhook)
    (got, broken, gone) = [
        await mine.finish(one, done) for one, done in zip(begun, (GOT, BROKEN, GONE), strict=True)
    ]
    assert (got, broken, gone) == (SUCCESS, FAILED, FAILED)
    after = await mine.seen(webhook)
    assert after == before.model_copy(update={"missed": before.missed + 2})
    assert (await mine.record(webhook, late[0])).failure_count_after is None


async def test_gone_disables_at_once_where_there_are_retries(mine: Hooks) -> None:
    webhook = await mine.subscribe(retry_policy=RetryPolicy.STANDARD)
    (result,) = await mine.told_and_sent(GONE)
    assert result.notice is Notice.GONE
    after = await mine.seen(webhook)
    assert after.disabled_reason is DisabledReason.GONE
    assert after.failure_count == 1
    await mine.enable(webhook)
    (delivery,) = await mine.listed(webhook)
    assert delivery.disabled_webhook
    assert await mine.begin(delivery.id) == result, "whatever became of the webhook"


async def test_gone_is_a_failure_where_there_are_none(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    assert await mine.told_and_sent(GONE) == [FAILED]
    assert (await mine.seen(webhook)).is_active


async def test_a_test_counts_for_nothing(mine: Hooks) -> None:
    webhook = await mine.subscribe(retry_policy=RetryPolicy.STANDARD)
    await mine.told_and_sent(BROKEN)
    before = await mine.seen(webhook)
    for done, result in ((GOT, SUCCESS), (BROKEN, FAILED), (GONE, FAILED)):
        sample = await mine.sample_to(webhook)
        assert await mine.send(sample, done) == result
    again = await mine.replay(webhook, sample)
    assert (await mine.record(webhook, again)).trigger is Trigger.TEST
    assert await mine.send(again, BROKEN) == FAILED
    assert await mine.seen(webhook) == before
