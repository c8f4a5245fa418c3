"""A run's events, from its outcome to a merchant's server."""

import json
from typing import Any

import pytest
import sqlalchemy as sa
from standardwebhooks import Webhook as StandardWebhook
from stripe import WebhookSignature
from temporalio.api.enums.v1 import EventType

from domain.core import names
from domain.reviews.escalation import Decision
from domain.runs.contracts import SweepInput
from store.reviews.tables import escalation_tickets
from store.tenants.tables import clients
from store.webhooks.tables import webhook_deliveries
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, owned, rows
from tests.support.core.waiting import eventually
from tests.support.servers.webhook_receiver import Received, WebhookReceiver
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from tests.support.webhooks.webhook_engine import delivery_of, ended, subscribed
from tests.support.webhooks.webhooks import Subscribed, tell

CUSTOMER = "a@b.example"


def told(request: Received) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.body)
    return body


def verify(request: Received, webhook: Subscribed) -> None:
    """Verify with two third-party libraries."""
    headers, body = request.headers, request.body.decode()
    signature = f"t={headers['x-service-timestamp']},{headers['x-service-signature']}"
    assert WebhookSignature.verify_header(body, signature, webhook.secret, 300)
    StandardWebhook(webhook.secret).verify(body, dict(headers))


async def all_ended(sender: LiveEngine, shop: Shop, count: int) -> list[dict[str, Any]]:
    async def found() -> list[dict[str, Any]] | None:
        deliveries = await rows(sender.database, webhook_deliveries, of=shop)
        done = [one for one in deliveries if one["status"] != "pending"]
        return deliveries if len(done) == len(deliveries) == count else None

    return await eventually(found)


async def test_a_ticket_and_its_answer_arrive_signed(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(sender, shop, receiver)

    answer = (
        await sender.post(shop, customer_email=CUSTOMER, ticket_id="T-1", message=ORDER_QUESTION)
    ).json()
    requests = await receiver.received(2)

    for request in requests:
        verify(request, webhook)
        assert told(request)["client_id"] == shop.client_id
        assert request.headers["x-service-event"] == told(request)["event"]
        assert request.headers["x-service-attempt"] == "1"
    bodies = {told(request)["event"]: told(request)["data"] for request in requests}
    assert set(bodies) == {"conversation.created", "ticket.resolved"}
    assert bodies["ticket.resolved"]["ticket_id"] == "T-1"
    assert bodies["ticket.resolved"]["ai_response"] == answer["response"]
    for record in await all_ended(sender, shop, 2):
        assert (record["status"], record["attempt"], record["response_status"]) == (
            "success",
            1,
            200,
        )
    of_success = {"status": "success", "failure": ""}

    async def both_counted() -> bool:
        """An attempt is counted once its outcome is committed."""
        registry = sender.metrics.registry
        return registry.get_sample_value("engine_webhook_tries_total", of_success) == 2

    assert await eventually(both_counted)


async def test_the_answer_waits_for_no_webhook_worker(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(idle_sender, shop, receiver)

    async with idle_sender.working():
        answer = await idle_sender.post(shop, message=ORDER_QUESTION)
        assert answer.json()["status"] == "completed"
        run = idle_sender.run_of(shop, answer.json()["event_id"])
        await run.result()  # it leaves its children running
        events = [event.event_type async for event in run.fetch_history_events()]
    assert receiver.seen == []

    # The new conversation was reported before; the answer was sent with the same task that started
    # the reporting child.
    children = [
        number
        for number, kind in enumerate(events)
        if kind == EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED
    ]
    assert len(children) == 2
    asked = children[-1]
    answered = events.index(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED)
    tasks = [
        number
        for number, kind in enumerate(events)
        if kind == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
    ]
    assert max(n for n in tasks if n < asked) == max(n for n in tasks if n < answered)

    async with idle_sender.delivering():
        await receiver.received(2)


async def test_each_outcome_of_a_run_is_sent_once(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    """The first deliveries may still be pending when the second outcome is written."""
    await subscribed(sender, shop, receiver)
    body = (await sender.post(shop, customer_email=CUSTOMER, message=UNSURE_MESSAGE)).json()
    requests = await receiver.received(2)
    assert {told(one)["event"] for one in requests} == {"conversation.created", "ticket.escalated"}

    review = await only_row(sender.database, escalation_tickets, of=shop)
    await sender.decide(review["id"], Decision.EDIT, "Bonjour.")
    await sender.run_of(shop, body["event_id"]).result()
    await receiver.received(3)

    await all_ended(sender, shop, 3)
    assert len({one.headers["webhook-id"] for one in receiver.seen}) == len(receiver.seen) == 3


async def test_pending_deliveries_of_a_parked_run_are_started_once(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(idle_sender, shop, receiver)
    async with idle_sender.working():
        body = (
            await idle_sender.post(shop, customer_email=CUSTOMER, message=UNSURE_MESSAGE)
        ).json()
        review = await only_row(idle_sender.database, escalation_tickets, of=shop)
        await idle_sender.decide(review["id"], Decision.EDIT, "Bonjour.")
        run = idle_sender.run_of(shop, body["event_id"])
        await run.result()
        events = [event.event_type async for event in run.fetch_history_events()]

    assert len(await rows(idle_sender.database, webhook_deliveries, of=shop, status="pending")) == 3
    asked = EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED
    assert events.count(asked) == 3


async def test_a_dry_run_sends_nothing(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver)

    await sender.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION, is_test=True)

    assert await rows(sender.database, webhook_deliveries, of=shop) == []
    (marker,) = await tell(sender.database, shop)
    await sender.engine.send_webhooks(shop.client_id, [marker])
    await ended(sender, marker)
    assert len(receiver.seen) == 1


async def test_below_pro_nothing_is_sent(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    """For a subscription created on a larger plan."""
    await subscribed(sender, shop, receiver)
    (before,) = await tell(sender.database, shop)
    async with sender.database.service() as connection:
        await connection.execute(
            sa.update(clients).where(owned(clients, shop)).values(plan="starter")
        )

    answer = await sender.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION)
    await sender.engine.send_webhooks(shop.client_id, [before])

    assert answer.json()["status"] == "completed"
    assert (await ended(sender, before))["status"] == "skipped"
    assert len(await rows(sender.database, webhook_deliveries, of=shop)) == 1
    assert receiver.seen == []


async def test_what_no_run_causes_is_sent_once_however_often_it_is_asked_for(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(sender, shop, receiver)
    deliveries = [(await tell(sender.database, shop))[0] for _ in range(3)]

    for _ in range(3):
        await sender.engine.send_webhooks(shop.client_id, deliveries)
    for delivery_id in deliveries:
        await ended(sender, delivery_id)
        await delivery_of(sender, shop, delivery_id).result()
    await sender.engine.send_webhooks(shop.client_id, deliveries)
    (marker,) = await tell(sender.database, shop)
    await sender.engine.send_webhooks(shop.client_id, [marker])
    await ended(sender, marker)

    assert len(receiver.seen) == 4
    for request in receiver.seen:
        verify(request, webhook)


@pytest.mark.own_database
async def test_the_sweeper_sends_what_nobody_sent(
    sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(sender, shop, receiver)
    (left,) = await tell(sender.database, shop)

    result = await sender.client.execute_workflow(
        names.SWEEP, SweepInput(older_than_s=0), id="sweep", task_queue=names.ENGINE_QUEUE
    )

    assert result["picked_up"] == 1
    assert (await ended(sender, left))["status"] == "success"
    again = await sender.client.execute_workflow(
        names.SWEEP, SweepInput(older_than_s=0), id="sweep-again", task_queue=names.ENGINE_QUEUE
    )
    assert again["picked_up"] == 0
