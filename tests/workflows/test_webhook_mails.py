"""Failing webhooks: the owner is notified once."""

from datetime import timedelta

import pytest

from domain.webhooks.webhook import RetryPolicy
from store.webhooks.tables import webhook_misses
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import (
    WebhookReceiver,
)
from tests.support.tenants.shop import Shop
from tests.support.webhooks.sent import mailed, mails_to_owner, result_of, send, subscription
from tests.support.webhooks.webhook_engine import delivery_of, ended, subscribed
from tests.support.webhooks.webhooks import tell
from workflows import options

pytestmark = pytest.mark.own_database


async def test_twenty_failures_disable_once_and_each_warning_is_one_mail(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver, mail: MailServer
) -> None:
    await subscribed(sender, shop, receiver)
    receiver.answer(500)
    deliveries = [(await tell(sender.database, shop))[0] for _ in range(25)]

    await sender.engine.send_webhooks(shop.client_id, deliveries)
    records = [await ended(sender, delivery_id) for delivery_id in deliveries]

    webhook = await subscription(sender)
    assert (webhook["is_active"], webhook["failure_count"]) == (False, 20)
    assert webhook["disabled_reason"] == "failures"
    assert sum(record["disabled_webhook"] for record in records) == 1
    assert {record["failure_kind"] for record in records} <= {"http_5xx", None}
    assert len(await rows(sender.database, webhook_misses)) == 25
    assert sorted(await mailed(mail, shop, 3)) == [
        "Un de vos webhooks est désactivé",
        "Un de vos webhooks est en échec",
        "Un de vos webhooks est en échec",
    ]
    for delivery_id in deliveries:
        await delivery_of(sender, shop, delivery_id).result()
    assert len(mails_to_owner(mail, shop)) == 3
    for one in mails_to_owner(mail, shop):
        assert one["Auto-Submitted"] == "auto-generated"
        assert receiver.url not in plain_text(one)
        assert "erreur du récepteur (HTTP 500)" in plain_text(one)
    assert len({one["Message-ID"] for one in mails_to_owner(mail, shop)}) == 3
    # No more deliveries are sent there.
    before = len(receiver.seen)
    assert await tell(sender.database, shop) == ()
    assert len(receiver.seen) == before


async def test_the_owner_is_told_as_soon_as_mail_goes_out(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver, mail: MailServer
) -> None:
    await subscribed(sender, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)
    mail.recipient_reply = "451 later"
    delivery_id = await send(sender, shop)

    async def put_off() -> bool:
        return mail.refused > 0

    await eventually(put_off)
    mail.recipient_reply = "250 ok"
    await mailed(mail, shop, 1)
    await result_of(sender, shop, delivery_id)
    assert len(mails_to_owner(mail, shop)) == 1


@pytest.mark.parametrize("reply", ["550 no such user", None])
async def test_a_mail_that_is_refused_or_lost_is_not_sent_again(
    sender: LiveEngine,
    shop: Shop,
    receiver: WebhookReceiver,
    mail: MailServer,
    reply: str | None,
) -> None:
    await subscribed(sender, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)
    mail.reply = reply
    delivery_id = await send(sender, shop)

    assert await result_of(sender, shop, delivery_id) == {"status": "failed"}
    assert len(mails_to_owner(mail, shop)) == 1


async def test_mail_that_never_goes_out_ends_with_the_time_for_it(
    sender: LiveEngine,
    shop: Shop,
    receiver: WebhookReceiver,
    mail: MailServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(options.TELLING, "schedule_to_close_timeout", timedelta(seconds=1))
    await subscribed(sender, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    receiver.answer(410)
    mail.recipient_reply = "451 later"
    delivery_id = await send(sender, shop)

    assert await result_of(sender, shop, delivery_id) == {"status": "failed"}
