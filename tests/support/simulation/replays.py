"""Replays of a test's client."""

from datetime import timedelta

from adapters.system import new_ulid, utc_now
from domain.simulation.replay import Replay, ReplayState
from domain.simulation.variant import LIVE, Variant
from store.core.database import Database
from store.simulation.replays import ReplayRepository
from tests.support.tenants.shop import Shop

REPLAYS = "/api/dashboard/replays"


async def a_replay(
    database: Database,
    shop: Shop,
    variant: Variant = LIVE,
    *,
    state: ReplayState = ReplayState.QUEUED,
    days: int = 30,
    budget_micros: int = 1_000_000,
    budget_s: int = 600,
) -> str:
    """The id of a replay that nobody has started. Of the last `days`, until in a minute."""
    now = utc_now()
    replay = Replay(
        id=new_ulid(),
        variant=variant,
        since=now - timedelta(days=days),
        until=now + timedelta(minutes=1),
        state=state,
        budget_micros=budget_micros,
        budget_s=budget_s,
        started_by="tester",
        created_at=now - timedelta(hours=1),
    )
    async with database.tenant(shop.tenant) as connection:
        await ReplayRepository(connection, shop.tenant).create(replay)
    return replay.id
