"""Processes are killed while webhooks are in progress: each event arrives, and is counted, once.

A POST may be repeated if its outcome is unknown; then its webhook-id is the same.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.service import RPCError

from adapters.system import utc_now
from domain.core import names
from domain.core.period import period_of
from domain.webhooks.errors import Deferred
from store.billing.tables import usage_counters
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.processes import Process, process
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import ORDER_QUESTION, Shop
from tests.support.webhooks.dying import (
    Start,
    died,
    dies_asked,
    each_once,
    engine_worker,
    webhook_worker,
)
from tests.support.webhooks.holding import Holding, the_first
from tests.support.webhooks.webhook_dashboard import WEBHOOKS
from tests.support.webhooks.webhook_engine import delivery_of, ended, sending_engine, subscribed
from tests.support.webhooks.webhooks import tell

# The sweeper would wait a minute, so as not to disturb deliveries in progress.
SWEEPS_AT_ONCE = {"SWEEP_AFTER_S": "0.1", "SWEEP_INTERVAL_S": "1"}
CRASHING = ("-m", "tests.support.core.crashing_worker")


pytestmark = [pytest.mark.usefixtures("missed_soon"), pytest.mark.slow]


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as one:
        yield one


@pytest.fixture
async def engine(
    database_url: str, temporal: TemporalServer, mail: MailServer, receiver: WebhookReceiver
) -> AsyncIterator[LiveEngine]:
    """An engine without a worker."""
    async with sending_engine(database_url, temporal, receiver, smtp_url=mail.url) as one:
        yield one


@pytest.fixture
def start(engine: LiveEngine, receiver: WebhookReceiver, tmp_path: Path) -> Start:
    """Return a function that starts a process of the service: start(name, *arguments,
    **environment)."""

    def started(name: str, *arguments: str, **env: str) -> AbstractContextManager[Process]:
        assert engine.settings.identity.session_key is not None
        return process(
            name,
            *arguments,
            settings=engine.settings,
            folder=tmp_path,
            SESSION_KEY=engine.settings.identity.session_key.get_secret_value(),
            WEBHOOK_ALLOW_PRIVATE_ADDRESSES="true",
            WEBHOOK_CA_FILE=str(receiver.ca_file),
            **env,
        )

    return started


@pytest.mark.parametrize(("answer", "failures"), [(200, 0), (503, 1)])
async def test_webhook_worker_killed_in_the_middle_of_a_post(
    engine: LiveEngine,
    shop: Shop,
    receiver: WebhookReceiver,
    start: Start,
    answer: int,
    failures: int,
) -> None:
    webhook = await subscribed(engine, shop, receiver)
    holding = Holding(the_first(1), answer)
    receiver.decide(holding)
    with start("dying", *CRASHING, f"never:{names.DELIVER}") as dying:
        (delivery_id,) = await tell(engine.database, shop)
        await engine.engine.send_webhooks(shop.client_id, [delivery_id])
        await receiver.received(1)
        dying.kill()
    with webhook_worker(start):
        record = await ended(engine, delivery_id)
        await delivery_of(engine, shop, delivery_id).result()
    holding.let_go()

    first, second = receiver.seen
    for header in ("webhook-id", "x-service-delivery", "x-service-attempt"):
        assert first.headers[header] == second.headers[header]
    assert first.body == second.body
    assert (record["response_status"], record["attempt"]) == (answer, 1)
    assert record["failure_count_after"] == failures
    counted = await only_row(engine.database, webhook_subscriptions, id=webhook.id)
    assert counted["failure_count"] == failures


async def test_webhook_worker_killed_after_the_record(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, mail: MailServer, start: Start
) -> None:
    """Nothing is sent again, and the owner is notified once that ten in a row have failed."""
    webhook = await subscribed(engine, shop, receiver)
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(webhook_subscriptions).values(failure_count=9))
    receiver.answer(500)
    with (
        engine_worker(start),
        start("dying", *CRASHING, f"after:{names.DELIVER}") as dying,
    ):
        (delivery_id,) = await tell(engine.database, shop)
        await engine.engine.send_webhooks(shop.client_id, [delivery_id])
        await died(dying)
        assert mail.mails == []
        with webhook_worker(start):
            await delivery_of(engine, shop, delivery_id).result()

    assert len(receiver.seen) == 1
    assert (await ended(engine, delivery_id))["failure_count_after"] == 10
    counted = await only_row(engine.database, webhook_subscriptions, id=webhook.id)
    assert counted["failure_count"] == 10
    assert len(mail.mails) == 1


@pytest.mark.parametrize("lost", [False, True])
async def test_engine_killed_between_the_outcome_and_its_deliveries(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, start: Start, *, lost: bool
) -> None:
    """`lost`: the run's workflow is gone too, so only the sweeper can send them."""
    await subscribed(engine, shop, receiver)
    with webhook_worker(start):
        with start("dying", *CRASHING, f"after:{names.PERSIST}") as dying:
            call = asyncio.ensure_future(
                engine.post(shop, customer_email="a@b.example", message=ORDER_QUESTION)
            )
            await died(dying)
        deliveries = await rows(engine.database, webhook_deliveries)
        # The start of a conversation is reported before the agent processes the message.
        later = [one for one in deliveries if one["event"] != "conversation.created"]
        assert {one["status"] for one in later} == {"pending"}
        assert {it.headers["x-service-event"] for it in receiver.seen} <= {"conversation.created"}
        if lost:
            await engine.run_of(shop, await _event_of(engine, shop)).terminate()
        with engine_worker(start, **SWEEPS_AT_ONCE):
            await each_once(engine, shop, receiver, deliveries)
            await call


async def _event_of(engine: LiveEngine, shop: Shop) -> str:
    (run,) = [one async for one in engine.client.list_workflows("WorkflowType = 'ProcessEvent'")]
    return run.id.rpartition("/")[2]


async def test_api_killed_before_a_replay_is_sent(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, start: Start
) -> None:
    webhook = await subscribed(engine, shop, receiver)
    with webhook_worker(start):
        (first,) = await tell(engine.database, shop)
        await engine.engine.send_webhooks(shop.client_id, [first])
        await ended(engine, first)
        headers = bearer(session_token(engine.settings, shop.owner_user_id))
        path = f"{WEBHOOKS}/{webhook.id}/deliveries/{first}/replay"
        await dies_asked(start, path, headers, {})
        replayed = await only_row(engine.database, webhook_deliveries, trigger="replay")
        assert replayed["status"] == "pending"
        with engine_worker(start, **SWEEPS_AT_ONCE):
            await each_once(engine, shop, receiver, [{"id": first}, replayed])

    assert len({request.headers["webhook-id"] for request in receiver.seen}) == 1


async def test_api_killed_before_a_threshold_is_sent(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, start: Start
) -> None:
    """A threshold reached without a run: the limit has fallen below the usage."""
    await subscribed(engine, shop, receiver)
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(usage_counters).values(
                client_id=shop.client_id, period=period_of(utc_now()), tickets_used=100_000
            )
        )
    body = {"client_id": shop.client_id, "message": "x"}
    await dies_asked(start, GATEWAY, shop.headers, body)
    told = await rows(engine.database, webhook_deliveries, event="usage.threshold_reached")
    assert [one["status"] for one in told] == ["pending", "pending"]
    with webhook_worker(start), engine_worker(start, **SWEEPS_AT_ONCE):
        await each_once(engine, shop, receiver, told)


async def test_webhook_worker_stopped_under_load(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, start: Start
) -> None:
    """POSTs in progress complete and are recorded; none is started; waiting ones are sent later."""
    await subscribed(engine, shop, receiver)
    holding = Holding(the_first(4))
    receiver.decide(holding)
    deliveries = [one for _ in range(12) for one in await tell(engine.database, shop)]
    with webhook_worker(start, "stopping") as stopping:
        await engine.engine.send_webhooks(shop.client_id, deliveries)
        await receiver.received(4)
        for delivery_id in deliveries:
            await eventually(partial(_at_work, engine, shop, delivery_id))
        going = {request.headers["x-service-delivery"] for request in receiver.seen}
        stopping.terminate()
        for delivery_id in set(deliveries) - going:
            await eventually(partial(_put_off, engine, shop, delivery_id))
        holding.let_go()

        async def stopped() -> bool:
            return stopping.exit_code is not None

        await eventually(stopped)
        assert stopping.exit_code == 0
    assert len(receiver.seen) == len(going) == 4
    for delivery_id in going:
        assert (await ended(engine, delivery_id))["status"] == "success"
    with webhook_worker(start):
        await each_once(engine, shop, receiver, [{"id": one} for one in deliveries])


async def _activity(engine: LiveEngine, shop: Shop, delivery_id: str) -> PendingActivityInfo | None:
    """Return Temporal's record of the delivery's current attempt."""
    try:
        described = await delivery_of(engine, shop, delivery_id).describe()
    except RPCError:  # not started yet
        return None
    return next(iter(described.raw_description.pending_activities), None)


async def _at_work(engine: LiveEngine, shop: Shop, delivery_id: str) -> bool:
    """Return whether the worker is sending it, or holds it until it gets a permit."""
    it = await _activity(engine, shop, delivery_id)
    return it is not None and it.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED


async def _put_off(engine: LiveEngine, shop: Shop, delivery_id: str) -> bool:
    it = await _activity(engine, shop, delivery_id)
    return it is not None and it.last_failure.message == Deferred.code
