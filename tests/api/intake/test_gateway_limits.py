"""The gateway's limits, quota and credits over HTTP: exact under load."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.billing.subscription import Subscription
from domain.core.names import WEBHOOKS_QUEUE, send_webhooks_id
from domain.core.period import period_of
from domain.tenants.client import Plan
from services.intake import shares
from store.billing.tables import credit_ledger, thresholds_sent, usage_counters, usage_ledger
from store.core.database import Database
from store.intake.tables import engine_events
from store.runs.tables import engine_messages, engine_runs
from store.tenants.accounts import AccountRepository
from store.tenants.tables import clients
from store.webhooks.tables import webhook_deliveries
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.core.waiting import eventually
from tests.support.intake.admission import sent_before
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop
from tests.support.webhooks.told import told_events
from tests.support.webhooks.webhooks import subscribe

CALLERS = 60


async def _sent_lately(
    database: Database, shop: Shop, number: int, customer: str | None = None
) -> None:
    """Create this many messages, five minutes old."""
    at = utc_now() - timedelta(minutes=5)
    await sent_before(database, shop, number, customer=customer, at=at)


async def _standing(
    database: Database, shop: Shop, *, used: int, balance: int, plan: Plan = Plan.FREE
) -> None:
    """Create a plan with these used tickets and purchased credits."""
    async with database.tenant(shop.tenant) as connection:
        accounts = AccountRepository(connection, shop.tenant)
        await accounts.save(Subscription(plan))
        if balance:
            await accounts.add_credits(balance, entry_id=new_ulid(), reason="test", now=utc_now())
        await connection.execute(
            sa.insert(usage_counters).values(
                client_id=shop.client_id, period=period_of(utc_now()), tickets_used=used
            )
        )


async def _at_once(engine: LiveEngine, shop: Shop, **body: object) -> Counter[int]:
    answers = await asyncio.gather(
        *(engine.post(shop, message=ORDER_QUESTION, **body) for _ in range(CALLERS))
    )
    return Counter(answer.status_code for answer in answers)


async def test_one_of_sixty_callers_gets_in_at_199_of_200(engine: LiveEngine, shop: Shop) -> None:
    await _sent_lately(engine.database, shop, 199)

    assert await _at_once(engine, shop) == {200: 1, 429: CALLERS - 1}

    assert len(await rows(engine.database, engine_runs, of=shop)) == 1


async def test_one_of_sixty_callers_gets_in_at_nine_of_ten(engine: LiveEngine, shop: Shop) -> None:
    await _sent_lately(engine.database, shop, 9, customer="anna@b.example")

    came = await _at_once(engine, shop, customer_email="Anna@B.Example ")

    assert came == {200: 1, 429: CALLERS - 1}


async def test_one_of_sixty_callers_gets_in_with_one_credit(engine: LiveEngine, shop: Shop) -> None:
    await _standing(engine.database, shop, used=50, balance=1)

    assert await _at_once(engine, shop) == {200: 1, 429: CALLERS - 1}

    assert (await only_row(engine.database, clients, of=shop))["credits_balance"] == 0
    assert sum(e["amount"] for e in await rows(engine.database, credit_ledger, of=shop)) == 0
    assert (await only_row(engine.database, usage_counters, of=shop))["tickets_used"] == 51
    assert (await only_row(engine.database, usage_ledger, of=shop))["paid_by"] == "credit"


async def test_the_quotas_answer(front: LiveEngine, shop: Shop) -> None:
    await _standing(front.database, shop, used=50, balance=0)
    before = await row_counts(front.database, of=shop)

    answer = await front.post(shop, message="x")

    assert answer.status_code == 429
    body = answer.json()
    assert body.pop("request_id") == answer.headers["x-request-id"]
    assert body == {
        "error": "Quota de tickets épuisé. Achetez des crédits ou passez à un plan supérieur.",
        "code": "quota_exhausted",
        "tickets_used": 50,
        "tickets_limit": 50,
        "credits_balance": 0,
        "upgrade_url": "http://127.0.0.1:8080/app/billing/plan",
        "credits_url": "http://127.0.0.1:8080/app/billing/credits",
    }
    after = await row_counts(front.database, of=shop)
    assert after == {**before, "thresholds_sent": 2, "outbox": 2}, "that it is used up is told"


async def test_thresholds_are_noted_when_the_limit_falls_below_the_use(
    front: LiveEngine, shop: Shop
) -> None:
    """A trial ends with more usage than the plan allows: nothing more is admitted, and all
    thresholds are reported."""
    await _standing(front.database, shop, used=300, balance=0)
    assert await rows(front.database, thresholds_sent, of=shop) == []

    for _ in range(2):
        assert (await front.post(shop, message="x")).status_code == 429

    noted = await rows(front.database, thresholds_sent, of=shop)
    assert [(row["threshold"], row["tickets_used"], row["tickets_limit"]) for row in noted] == [
        (80, 300, 50), (100, 300, 50)
    ]  # fmt: skip


async def test_what_a_refusal_tells_is_sent_though_no_run_does(
    front: LiveEngine, shop: Shop
) -> None:
    webhook = await subscribe(front.database, shop, events=("usage.threshold_reached",))
    await _standing(front.database, shop, used=5_000, balance=0, plan=Plan.PRO)

    for _ in range(2):
        assert (await front.post(shop, message="x")).status_code == 429

    thresholds = [one.data["threshold"] for one in await told_events(front.database, of=shop)]
    assert thresholds == [80, 100]
    deliveries = await rows(front.database, webhook_deliveries, of=shop, webhook_id=webhook.id)
    assert [one["run_id"] for one in deliveries] == [None, None]
    first = min(str(one["id"]) for one in deliveries)
    sending = front.client.get_workflow_handle(send_webhooks_id(shop.client_id, first))
    assert (await sending.describe()).task_queue == WEBHOOKS_QUEUE
    await sending.terminate()


async def test_the_month_is_that_of_the_admission(front: LiveEngine, shop: Shop) -> None:
    """A request from before midnight that is admitted after it counts in the new month."""
    before = datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC)
    times = iter([before, before + timedelta(seconds=2), before + timedelta(seconds=3)])
    resources = front.app.state.resources
    front.app.state.resources = replace(resources, now=lambda: next(times, before))
    unwanted = await open_shop(front.database, event_type="shop.*")

    await front.post(unwanted, message="x", event_type="nobody wants it")

    event = await only_row(front.database, engine_events, of=unwanted)
    message = await only_row(front.database, engine_messages, of=unwanted)
    assert event["received_at"] == before
    assert period_of(message["created_at"]) == "2026-11"


async def test_the_customers_answer_names_the_customer(front: LiveEngine, shop: Shop) -> None:
    await _sent_lately(front.database, shop, 10, customer="anna@b.example")

    answer = await front.post(shop, customer_email="Anna@B.example", message="x")

    assert answer.status_code == 429
    assert answer.json()["error"] == ("Rate limit: 10 messages/10min depasse pour Anna@B.example")
    assert 1 <= int(answer.headers["retry-after"]) <= 300


async def test_the_clients_answer(front: LiveEngine, shop: Shop) -> None:
    await _sent_lately(front.database, shop, 200)

    answer = await front.post(shop, message="x")

    assert answer.status_code == 429
    assert answer.json()["error"] == "Rate limit: 200 messages/heure depasse pour ce client"
    assert 3000 <= int(answer.headers["retry-after"]) <= 3300
    assert not any(name.startswith("x-ratelimit") for name in answer.headers)


async def test_a_dry_run_costs_no_ticket_and_needs_none(engine: LiveEngine, shop: Shop) -> None:
    await _standing(engine.database, shop, used=50, balance=1)
    await _sent_lately(engine.database, shop, 200)
    before = await row_counts(engine.database, of=shop)

    answer = await engine.post(shop, message=ORDER_QUESTION, is_test=True)

    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert await row_counts(engine.database, of=shop) == before
    assert (await only_row(engine.database, clients, of=shop))["credits_balance"] == 1


async def test_every_result_counts_once(engine: LiveEngine, shop: Shop) -> None:
    """Completed, in review or failed: one ticket each; without a playbook: none."""
    engine_mail = {"event_type": "email.inbound", "from": "a@b.example", "message": ORDER_QUESTION}
    statuses = [
        (await engine.post(shop, message=ORDER_QUESTION)).json()["status"],
        (await engine.post(shop, message="asdf")).json()["status"],
        (await engine.post(shop, **engine_mail)).json()["status"],
    ]

    assert statuses[:2] == ["completed", "needs_review"]
    assert (await only_row(engine.database, usage_counters, of=shop))["tickets_used"] == len(
        statuses
    )


async def test_a_client_whose_row_is_locked_stands_in_nobodys_way(
    engine: LiveEngine, shop: Shop
) -> None:
    """Thirty callers wait for one client's lock, more than there are connections. Other clients are
    served."""
    other = await open_shop(engine.database)
    lock = sa.select(clients.c.id).where(clients.c.id == shop.client_id).with_for_update()

    async with engine.worker_database.service(patience_s=60) as connection:
        await connection.execute(lock)
        waiting = [asyncio.ensure_future(engine.post(shop, message="x")) for _ in range(30)]
        await eventually(lambda: _somebody_waits(engine.database))
        answers: list[httpx.Response] = await asyncio.gather(
            *(engine.post(other, message=ORDER_QUESTION) for _ in range(5))
        )
        assert [answer.status_code for answer in answers] == [200] * 5
    # Waiting requests are now admitted, or were rejected after 5 s.
    assert {answer.status_code for answer in await asyncio.gather(*waiting)} <= {200, 429, 500}


async def _somebody_waits(database: Database) -> bool:
    query = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    async with database.unscoped() as connection:
        return bool(await connection.scalar(sa.text(query)))


async def test_events_without_a_playbook_have_a_room(
    front: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = await open_shop(front.database, event_type="email.*")
    monkeypatch.setattr(shares, "ROOM", 1)
    kept = await front.post(shop, event_type="x", message="x")
    assert (kept.status_code, kept.json()["status"]) == (200, "no_playbook")
    before = await row_counts(front.database, of=shop)

    answer = await front.post(shop, event_type="x", message="x")

    assert (answer.status_code, answer.json()["code"]) == (429, "event_room_used")
    assert 24 * 3600 - 60 < int(answer.headers["retry-after"]) <= 24 * 3600
    assert await row_counts(front.database, of=shop) == before
