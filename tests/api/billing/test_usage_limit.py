"""GET /api/billing/usage: the rate limit."""

import asyncio
from datetime import timedelta

import sqlalchemy as sa

from domain.intake.rate_limit import LimitScope, limits
from store.intake.rate_windows import RateWindowRepository
from tests.support.billing.usage import NOW, USAGE, ask, assert_refused
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import set_clock
from tests.support.tenants.shop import Shop, open_shop


async def test_sixty_a_minute(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    set_clock(front, NOW)
    first = await ask(front, shop)
    set_clock(front, NOW + timedelta(seconds=20.5))
    others = [await front.http.get(USAGE, headers=shop.headers) for _ in range(59)]

    refused = await ask(front, shop)

    assert first.headers["ratelimit-policy"] == '"usage";q=60;w=60'
    assert first.headers["ratelimit"] == '"usage";r=59;t=60'
    # Error responses count too, and contain the limit's headers.
    assert {answer.status_code for answer in others} == {400}
    assert others[-1].headers["ratelimit"] == '"usage";r=0;t=40'
    assert_refused(refused, 429, "Trop de requêtes : 60 par 60 s au plus.", "too_many_requests")
    assert refused.headers["retry-after"] == "40"
    assert refused.headers["ratelimit"] == '"usage";r=0;t=40'
    assert refused.headers["ratelimit-policy"] == '"usage";q=60;w=60'
    assert (await ask(front, other)).status_code == 200
    set_clock(front, NOW + timedelta(seconds=60))
    assert (await ask(front, shop)).status_code == 200


async def test_two_processes_share_the_limit(
    front: LiveEngine, shop: Shop, temporal: TemporalServer
) -> None:
    async with (
        live_engine(
            front.settings.database.url, temporal.address, "default", rate_limits="postgres"
        ) as one,
        live_engine(
            front.settings.database.url, temporal.address, "default", rate_limits="postgres"
        ) as two,
    ):
        for process in (one, two):
            set_clock(process, NOW)
        answers = [await ask((one, two)[n % 2], shop) for n in range(61)]

    assert [answer.status_code for answer in answers] == [200] * 60 + [429]
    assert answers[-1].headers["retry-after"] == "60"


async def test_flood_of_one_client_does_not_stop_another(
    front: LiveEngine, shop: Shop, temporal: TemporalServer
) -> None:
    """Another process has locked one key's window: that key's requests wait without a database
    connection."""
    other = await open_shop(front.database)
    async with live_engine(
        front.settings.database.url, temporal.address, "default", rate_limits="postgres"
    ) as flooded:
        async with front.database.service() as connection:
            limit = limits(dry_runs=1)[LimitScope.USAGE]
            await RateWindowRepository(connection).hit(limit, f"key:{shop.key_id}", NOW)
            flood = [asyncio.create_task(ask(flooded, shop)) for _ in range(40)]
            pool = flooded.app.state.resources.database.engine.pool
            await eventually(lambda: _holds_a_connection(pool))

            async with asyncio.timeout(3):
                answers = [await ask(flooded, other) for _ in range(5)]
        await asyncio.gather(*flood)

    assert {answer.status_code for answer in answers} == {200}


async def _holds_a_connection(pool: sa.Pool) -> bool:
    return isinstance(pool, sa.AsyncAdaptedQueuePool) and pool.checkedout() > 0


async def test_unknown_callers_are_not_counted(front: LiveEngine) -> None:
    answer = await front.http.get(USAGE)

    assert "ratelimit" not in answer.headers


async def test_gateway_shows_no_limits(front: LiveEngine, shop: Shop) -> None:
    answer = await front.post(shop, event_type=5)

    assert answer.status_code == 400
    assert not [name for name in answer.headers if "ratelimit" in name]
