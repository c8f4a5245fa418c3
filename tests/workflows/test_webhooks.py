"""What a run tells, from its outcome to a merchant's server."""

import json
from collections.abc import AsyncIterator, Iterator
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
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import Received, WebhookReceiver, webhook_receiver
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from tests.support.webhooks.webhook_engine import delivery_of, ended, sending_engine, subscribed
from tests.support.webhooks.webhooks import Subscribed, tell

CUSTOMER = "a@b.example"


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


def told(request: Received) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.body)
    return body


def verify(request: Received, webhook: Subscribed) -> None:
    """By two other people's libraries."""
    headers, body = request.headers, request.body.decode()
    signature = f"t={headers['x-service-timestamp']},{headers['x-service-signature']}"
    assert WebhookSignature.verify_header(body, signature, webhook.secret, 300)
    StandardWebhook(webhook.secret).verify(body, dict(headers))


async def all_ended(engine: LiveEngine, shop: Shop, count: int) -> list[dict[str, Any]]:
    async def found() -> list[dict[str, Any]] | None:
        deliveries = await rows(engine.database, webhook_deliveries, of=shop)
        done = [one for one in deliveries if one["status"] != "pending"]
        return deliveries if len(done) == len(deliveries) == count else None

    return await eventually(found)


async def test_a_ticket_and_its_answer_arrive_signed(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(engine, shop, receiver)

    answer = (
        await engine.post(shop, customer_email=CUSTOMER, ticket_id="T-1", message=ORDER_QUESTION)
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
    for record in await all_ended(engine, shop, 2):
        assert (record["status"], record["attempt"], record["response_status"]) == (
            "success",
            1,
            200,
        )
    of_success = {"status": "success", "failure": ""}
    assert engine.metrics.registry.get_sample_value("engine_webhook_tries_total", of_success) == 2


async def test_the_answer_waits_for_no_webhook_worker(
    idle: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(idle, shop, receiver)

    async with idle.working():
        answer = await idle.post(shop, message=ORDER_QUESTION)
        assert answer.json()["status"] == "completed"
        run = idle.run_of(shop, answer.json()["event_id"])
        await run.result()  # it leaves its children behind
        events = [event.event_type async for event in run.fetch_history_events()]
    assert receiver.seen == []

    # The answer left with the very task that asked for the children.
    asked = events.index(EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED)
    answered = events.index(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED)
    tasks = [
        number
        for number, kind in enumerate(events)
        if kind == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
    ]
    assert max(n for n in tasks if n < asked) == max(n for n in tasks if n < answered)

    async with idle.delivering():
        await receiver.received(2)


async def test_each_outcome_of_a_run_is_sent_once(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    """The first ones may still be pending when the second outcome is written."""
    await subscribed(engine, shop, receiver)
    body = (await engine.post(shop, customer_email=CUSTOMER, message=UNSURE_MESSAGE)).json()
    requests = await receiver.received(2)
    assert {told(one)["event"] for one in requests} == {"conversation.created", "ticket.escalated"}

    review = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(review["id"], Decision.EDIT, "Bonjour.")
    await engine.run_of(shop, body["event_id"]).result()
    await receiver.received(3)

    await all_ended(engine, shop, 3)
    assert len({one.headers["webhook-id"] for one in receiver.seen}) == len(receiver.seen) == 3


async def test_pending_deliveries_of_a_parked_run_are_started_once(
    idle: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(idle, shop, receiver)
    async with idle.working():
        body = (await idle.post(shop, customer_email=CUSTOMER, message=UNSURE_MESSAGE)).json()
        review = await only_row(idle.database, escalation_tickets, of=shop)
        await idle.decide(review["id"], Decision.EDIT, "Bonjour.")
        run = idle.run_of(shop, body["event_id"])
        await run.result()
        events = [event.event_type async for event in run.fetch_history_events()]

    assert len(await rows(idle.database, webhook_deliveries, of=shop, status="pending")) == 3
    asked = EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED
    assert events.count(asked) == 3


async def test_a_dry_run_sends_nothing(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver)

    await engine.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION, is_test=True)

    assert await rows(engine.database, webhook_deliveries, of=shop) == []
    (marker,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [marker])
    await ended(engine, marker)
    assert len(receiver.seen) == 1


async def test_below_pro_nothing_is_sent(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    """Of a subscription that was made on a larger plan."""
    await subscribed(engine, shop, receiver)
    (before,) = await tell(engine.database, shop)
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(clients).where(owned(clients, shop)).values(plan="starter")
        )

    answer = await engine.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION)
    await engine.engine.send_webhooks(shop.client_id, [before])

    assert answer.json()["status"] == "completed"
    assert (await ended(engine, before))["status"] == "skipped"
    assert len(await rows(engine.database, webhook_deliveries, of=shop)) == 1
    assert receiver.seen == []


async def test_what_no_run_causes_is_sent_once_however_often_it_is_asked_for(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    webhook = await subscribed(engine, shop, receiver)
    deliveries = [(await tell(engine.database, shop))[0] for _ in range(3)]

    for _ in range(3):
        await engine.engine.send_webhooks(shop.client_id, deliveries)
    for delivery_id in deliveries:
        await ended(engine, delivery_id)
        await delivery_of(engine, shop, delivery_id).result()
    await engine.engine.send_webhooks(shop.client_id, deliveries)
    (marker,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [marker])
    await ended(engine, marker)

    assert len(receiver.seen) == 4
    for request in receiver.seen:
        verify(request, webhook)


@pytest.mark.own_database
async def test_the_sweeper_sends_what_nobody_sent(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(engine, shop, receiver)
    (left,) = await tell(engine.database, shop)

    result = await engine.client.execute_workflow(
        names.SWEEP, SweepInput(older_than_s=0), id="sweep", task_queue=names.ENGINE_QUEUE
    )

    assert result["picked_up"] == 1
    assert (await ended(engine, left))["status"] == "success"
    again = await engine.client.execute_workflow(
        names.SWEEP, SweepInput(older_than_s=0), id="sweep-again", task_queue=names.ENGINE_QUEUE
    )
    assert again["picked_up"] == 0
