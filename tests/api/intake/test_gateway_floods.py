"""One caller's floods: rejected with 429, after one key lookup, and without a report."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.tenants.client import Plan, Role
from store.core.tables import error_reports
from store.runs.tables import engine_runs
from store.tenants.keys import KeyRepository
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine, database_away, live_engine
from tests.support.core.rows import rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.intake.admission import on_plan, sent_before
from tests.support.reviews.dashboard import person
from tests.support.tenants.account import KEYS, LABEL
from tests.support.tenants.identity import bearer
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

FLOOD = 200


@pytest.fixture
async def one_dry_run_a_minute(
    database_url: str, temporal: TemporalServer
) -> AsyncIterator[LiveEngine]:
    async with live_engine(database_url, temporal.address, "default", dry_run_limit=1) as engine:
        yield engine


async def _at_once(engine: LiveEngine, shop: Shop, number: int = FLOOD) -> list[httpx.Response]:
    return await asyncio.gather(
        *(engine.post(shop, message=ORDER_QUESTION, event_type="x") for _ in range(number))
    )


async def test_refused_flood_costs_reads_of_the_key(front: LiveEngine, shop: Shop) -> None:
    await sent_before(front.database, shop, 200, at=utc_now() - timedelta(minutes=5))
    assert (await front.post(shop, message="x")).json()["code"] == "client_rate_limited"
    asked: list[str] = []
    resources = front.app.state.resources

    def note(_c: object, _k: object, statement: str, *_: object) -> None:
        asked.append(statement)

    engine = resources.database.engine.sync_engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        answers = await _at_once(front, shop)
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)

    assert Counter(a.json()["code"] for a in answers) == {"client_rate_limited": FLOOD}
    assert {a.headers["retry-after"] for a in answers} <= {str(n) for n in range(3200, 3301)}
    assert len(asked) <= 10, "one with the key and then shared"
    assert [statement for statement in asked if "active_key" not in statement] == []
    reported = resources.metrics.registry.get_sample_value
    # In a thread, like the metrics endpoint, because some metrics query the event loop.
    of = {"code": "client_rate_limited"}
    assert await asyncio.to_thread(reported, "engine_error_reports_total", of) is None


async def test_revoked_key_is_told_so_in_the_midst_of_a_flood(
    front: LiveEngine, shop: Shop
) -> None:
    await sent_before(front.database, shop, 200, at=utc_now() - timedelta(minutes=5))
    assert (await front.post(shop, message="x")).status_code == 429
    flood = asyncio.create_task(_at_once(front, shop))
    async with front.database.service() as connection:
        await KeyRepository(connection).revoke(shop.key_id, utc_now())
    after = await asyncio.gather(*(front.post(shop, message="x") for _ in range(20)))
    await flood

    assert {answer.status_code for answer in after} == {401}


async def test_internal_workers_share_no_dry_runs_across_clients(
    one_dry_run_a_minute: LiveEngine,
) -> None:
    front = one_dry_run_a_minute
    shops = [await open_shop(front.database, event_type="nobody") for _ in "ab"]
    headers = {"x-engine-secret": ENGINE_SECRET}
    statuses = []
    for shop in (shops[0], shops[0], shops[1]):
        body = {"client_id": shop.client_id, "message": "x", "event_type": "x", "is_test": True}
        statuses.append((await front.http.post(GATEWAY, json=body, headers=headers)).status_code)

    assert statuses == [200, 429, 200]


async def test_dry_runs_are_counted_by_client_whoever_calls(
    one_dry_run_a_minute: LiveEngine,
) -> None:
    """Earlier, each of a free account's hundred keys had its own limit per minute."""
    front = one_dry_run_a_minute
    shop = await open_shop(front.database, event_type="nobody")
    owner = await person(front, shop, Role.OWNER)
    made = await front.http.post(KEYS, json=LABEL, headers=owner)
    callers = [
        shop.headers,
        bearer(made.json()["text"]),
        {"x-engine-secret": ENGINE_SECRET},
        owner,
    ]
    body = {"client_id": shop.client_id, "message": "x", "event_type": "x", "is_test": True}
    answers = [await front.http.post(GATEWAY, json=body, headers=headers) for headers in callers]

    assert [answer.status_code for answer in answers] == [200, 429, 429, 429]


async def test_a_clients_dry_runs_wait_for_one_another(front: LiveEngine) -> None:
    """A process runs one at a time, and queues at most eight per client."""
    shop, other = [await open_shop(front.database, event_type="nobody") for _ in "ab"]
    async with front.app.state.resources.dry_runs.turn(shop.tenant):
        crowd = [
            asyncio.ensure_future(front.post(shop, is_test=True, message="x")) for _ in range(12)
        ]
        refused, waiting = await asyncio.wait(crowd, return_when=asyncio.FIRST_COMPLETED)
        answered = await front.post(other, is_test=True, message="x")
        assert waiting
    ended = await asyncio.gather(*crowd)

    assert {one.result().json()["code"] for one in refused} == {"caller_busy"}
    assert answered.status_code == 200
    assert Counter(one.status_code for one in ended) == {200: 7, 429: 5}


async def test_dry_runs_of_free_accounts_leave_room_for_others(front: LiveEngine) -> None:
    """Two of them run at once. A client with a plan does not wait for them."""
    first, second, third, paying = [
        await open_shop(front.database, event_type="nobody") for _ in "abcd"
    ]
    await on_plan(front.database, third, Plan.FREE)
    slots = front.app.state.resources.dry_run_slots
    async with slots.slot(first.tenant, pays=False), slots.slot(second.tenant, pays=False):
        late = asyncio.ensure_future(front.post(third, is_test=True, message="x"))

        async def waits() -> bool | None:
            return [one.tenant for one in slots._waiting] == [third.tenant] or None

        await eventually(waits)
        answered = await front.post(paying, is_test=True, message="x")

        assert answered.status_code == 200
        assert not late.done()
    assert (await late).status_code == 200


@pytest.mark.own_database
async def test_crowd_at_an_open_limit_is_let_in_to_the_limit(front: LiveEngine) -> None:
    """Excess requests are rejected at once; exactly as many are admitted as the limit allows."""
    shop = await open_shop(front.database, event_type="nobody")
    await sent_before(front.database, shop, 190, at=utc_now() - timedelta(minutes=5))

    answers = await _at_once(front, shop)

    codes = Counter(answer.json().get("code", "in") for answer in answers)
    assert codes["in"] == 10
    assert codes["caller_busy"] + codes["client_rate_limited"] == FLOOD - 10
    busy = [answer for answer in answers if answer.json().get("code") == "caller_busy"]
    assert {answer.headers["retry-after"] for answer in busy} <= {"1"}
    assert await rows(front.database, error_reports) == []


@pytest.mark.own_database
async def test_outage_under_a_flood_is_counted_whole(front: LiveEngine, shop: Shop) -> None:
    resources = front.app.state.resources
    with database_away(resources.database):
        answers = await _at_once(front, shop, 100)
    assert Counter(answer.json()["code"] for answer in answers) == {"engine_unavailable": 100}

    async def stored() -> bool:
        found = await rows(front.database, error_reports)
        return bool(sum(one["occurrences"] for one in found) == 100)

    # One report at once, and at most one more after the interval for its kind.
    await eventually(stored)
    assert len(await rows(front.database, error_reports)) <= 2
    counted = resources.metrics.registry.get_sample_value
    assert counted("engine_error_reports_total", {"code": "engine_unavailable"}) == 100
    assert await rows(front.database, engine_runs, of=shop) == []
