"""Failed deliveries: retried or not, and counted."""

from datetime import timedelta
from typing import Any

import pytest

from adapters.system import utc_now
from domain.core import names
from domain.runs.contracts import SweepInput
from domain.webhooks import retries
from domain.webhooks.webhook import RetryPolicy
from store.webhooks.tables import webhook_deliveries
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import (
    Received,
    Reply,
    WebhookReceiver,
)
from tests.support.tenants.shop import Shop
from tests.support.webhooks.sent import mailed, mails_to_owner, send, sent, subscription
from tests.support.webhooks.webhook_engine import delivery_of, subscribed

pytestmark = pytest.mark.own_database


@pytest.fixture
def quick_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two immediate retries."""
    monkeypatch.setattr(retries, "SCHEDULE", (0.01, 0.01))


async def test_by_default_a_failure_is_final(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver)
    receiver.answer(503, headers={"Retry-After": "1"})

    record = await sent(sender, shop)

    assert (record["status"], record["attempt"]) == ("failed", 1)
    assert (await subscription(sender))["failure_count"] == 1
    assert len(receiver.seen) == 1
    of_failure = {"status": "failed", "failure": "http_5xx"}
    assert sender.metrics.registry.get_sample_value("engine_webhook_tries_total", of_failure) == 1


@pytest.mark.usefixtures("quick_schedule")
async def test_with_retries_it_is_the_same_event_until_it_is_taken(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver, retry_policy=RetryPolicy.STANDARD)

    def taken_at_last(request: Received) -> Reply:
        return Reply(200 if request.headers["x-service-attempt"] == "3" else 500)

    receiver.decide(taken_at_last)

    record = await sent(sender, shop)

    assert (record["status"], record["attempt"]) == ("success", 3)
    assert (await subscription(sender))["failure_count"] == 0
    assert [one.headers["x-service-attempt"] for one in receiver.seen] == ["1", "2", "3"]
    assert len({one.headers["webhook-id"] for one in receiver.seen}) == 1
    assert len({one.body for one in receiver.seen}) == 1


@pytest.mark.usefixtures("quick_schedule")
async def test_a_delivery_that_gives_up_is_counted_once(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(404)

    record = await sent(sender, shop)

    assert (record["status"], record["attempt"], record["failure_kind"]) == (
        "failed",
        3,
        "http_4xx",
    )
    assert (await subscription(sender))["failure_count"] == 1


async def test_retry_after_is_waited_for_and_not_swept(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(503, headers={"Retry-After": "7200"})
    asked = utc_now()
    delivery_id = await send(sender, shop)

    async def put_off() -> dict[str, Any] | None:
        found = await only_row(sender.database, webhook_deliveries, id=delivery_id)
        return found if found["next_attempt_at"] else None

    record = await eventually(put_off)
    wait = record["next_attempt_at"] - asked
    assert record["status"] == "pending"
    assert timedelta(hours=2) <= wait <= timedelta(hours=2.3)
    swept = await sender.client.execute_workflow(
        names.SWEEP, SweepInput(older_than_s=0), id="sweep", task_queue=names.ENGINE_QUEUE
    )
    assert swept["picked_up"] == 0
    await delivery_of(sender, shop, delivery_id).terminate()


async def test_who_is_gone_is_told_nothing_more(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver, mail: MailServer
) -> None:
    await subscribed(sender, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)

    record = await sent(sender, shop)

    assert (record["status"], record["attempt"]) == ("failed", 1)
    webhook = await subscription(sender)
    assert (webhook["is_active"], webhook["disabled_reason"]) == (False, "gone")
    await mailed(mail, shop, 1)
    assert "410" in plain_text(mails_to_owner(mail, shop)[0])


async def test_without_retries_gone_is_a_failure_like_others(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver)
    receiver.answer(410)

    await sent(sender, shop)

    webhook = await subscription(sender)
    assert (webhook["is_active"], webhook["failure_count"]) == (True, 1)
