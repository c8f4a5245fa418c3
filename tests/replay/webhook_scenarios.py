"""Replay scenarios for workflows that send webhooks, with a webhook worker beside the engine's."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from unittest import mock

from domain.core.names import deliver_webhook_id, process_event_id, send_webhooks_id
from domain.reviews.escalation import Decision
from domain.webhooks import delivery
from domain.webhooks.webhook import RetryPolicy
from store.reviews.tables import escalation_tickets
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import Received, Reply, WebhookReceiver
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from tests.support.webhooks.webhook_engine import ended, subscribed
from tests.support.webhooks.webhooks import tell
from workflows import options

WebhookScenario = Callable[[LiveEngine, Shop, MailServer, WebhookReceiver], Awaitable[str]]
"""Runs one branch to its end and returns its workflow's id."""


async def told(engine: LiveEngine, shop: Shop, _: MailServer, receiver: WebhookReceiver) -> str:
    await subscribed(engine, shop, receiver)
    body = (await engine.post(shop, message=ORDER_QUESTION)).json()
    return process_event_id(shop.client_id, body["event_id"])


async def told_of_each_outcome(
    engine: LiveEngine, shop: Shop, _: MailServer, receiver: WebhookReceiver
) -> str:
    """The first outcome's deliveries are still pending when the second is reported."""
    receiver.answer(after_s=5)
    await subscribed(engine, shop, receiver)
    body = (await engine.post(shop, message=UNSURE_MESSAGE)).json()
    escalation = await only_row(engine.database, escalation_tickets)
    await engine.decide(escalation["id"], Decision.EDIT, "Bonjour, oui.")
    return process_event_id(shop.client_id, body["event_id"])


async def delivered(
    engine: LiveEngine, shop: Shop, _: MailServer, receiver: WebhookReceiver
) -> str:
    await subscribed(engine, shop, receiver)
    return await _sent(engine, shop)


async def delivered_at_last(
    engine: LiveEngine, shop: Shop, _: MailServer, receiver: WebhookReceiver
) -> str:
    def later(request: Received) -> Reply:
        return Reply(200 if request.headers["x-service-attempt"] == "2" else 503)

    receiver.decide(later)
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    with mock.patch.object(delivery, "SCHEDULE", (0.1,)):
        return await _sent(engine, shop)


async def disabled_and_told(
    engine: LiveEngine, shop: Shop, _: MailServer, receiver: WebhookReceiver
) -> str:
    receiver.answer(410)
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    return await _sent(engine, shop)


async def disabled_and_not_told(
    engine: LiveEngine, shop: Shop, mail: MailServer, receiver: WebhookReceiver
) -> str:
    receiver.answer(410)
    mail.recipient_reply = "451 later"
    await subscribed(engine, shop, receiver, retry_policy=RetryPolicy.STANDARD)
    one_second = {"schedule_to_close_timeout": timedelta(seconds=1)}
    with mock.patch.dict(options.TELLING, one_second):
        workflow_id = await _sent(engine, shop)
        await engine.client.get_workflow_handle(workflow_id).result()
    return workflow_id


async def sent_for_nobody(
    engine: LiveEngine, shop: Shop, _: MailServer, receiver: WebhookReceiver
) -> str:
    """Three deliveries, the second of which was already sent."""
    await subscribed(engine, shop, receiver)
    deliveries = [(await tell(engine.database, shop))[0] for _ in range(3)]
    await engine.engine.send_webhooks(shop.client_id, deliveries[1:2])
    await ended(engine, deliveries[1])
    await engine.engine.send_webhooks(shop.client_id, deliveries)
    return send_webhooks_id(shop.client_id, deliveries[0])


WEBHOOK_SCENARIOS: dict[str, WebhookScenario] = {
    scenario.__name__: scenario
    for scenario in (
        told,
        told_of_each_outcome,
        delivered,
        delivered_at_last,
        disabled_and_told,
        disabled_and_not_told,
        sent_for_nobody,
    )
}


async def _sent(engine: LiveEngine, shop: Shop) -> str:
    (delivery_id,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [delivery_id])
    await ended(engine, delivery_id)
    return deliver_webhook_id(shop.client_id, delivery_id)
