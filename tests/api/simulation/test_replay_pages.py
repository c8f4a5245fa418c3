"""The replay pages: start, progress and stop."""

import sqlalchemy as sa

from domain.simulation.replay_facts import ReplayEnd
from domain.simulation.replay_tally import EndCount, ReplaySkip, ReplayTally
from domain.tenants.client import Role
from store.simulation.tables import replays
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.simulation.replays import a_replay
from tests.support.tenants.shop import Shop, open_shop

LIST = "/app/replays"
FIELDS = {"dollars": "1", "minutes": "5", "threshold": "0.8"}


async def test_list_and_page_count_alike(front: LiveEngine, shop: Shop) -> None:
    """Two of three events end differently; one more was skipped."""
    replay_id = await a_replay(front.database, shop)
    tally = ReplayTally(
        ends=(EndCount(before=ReplayEnd.ANSWERED, after=ReplayEnd.REVIEWED, events=3),),
        skipped={ReplaySkip.ERASED: 1},
    )
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(replays)
            .where(replays.c.id == replay_id)
            .values(total=4, examined=3, changed=2, tally=tally.model_dump(mode="json"))
        )
    async with at_pages(front, shop) as owner:
        assert ">2 / 3<" in await owner.see(LIST)
        page = await owner.see(f"{LIST}/{replay_id}")
        assert ">2 / 3<" in page
        assert ">4 / 4<" in page


async def test_a_replay_is_started_and_stopped(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    async with at_pages(front, shop) as owner:
        assert "Re-run last month’s tickets" in await owner.see(LIST)
        refused = await owner.send(f"{LIST}/new", LIST, {**FIELDS, "minutes": "many"})
        assert 'value="0.8"' in await owner.follow(refused)
        started = await owner.send(f"{LIST}/new", LIST, FIELDS)
        replay = started.headers["location"]
        assert "confidence level 80%" in await owner.follow(started)
        assert "Stopped by your team." in await owner.follow(
            await owner.send(replay, f"{replay}/stop")
        )
        assert replay in await owner.see(LIST)
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert f"{replay}/stop" not in await viewer.see(replay)
        assert (await viewer.http.get(f"{LIST}/new")).status_code == 403
    async with at_pages(front, other) as stranger:
        assert (await stranger.http.get(replay)).status_code == 404
