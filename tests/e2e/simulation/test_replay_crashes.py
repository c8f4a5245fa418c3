"""A worker gets SIGKILL during a replay: no event is lost or counted twice."""

import signal
from pathlib import Path

import pytest

from domain.simulation.replay import Replay, ReplayState
from domain.tenants.client import Role
from store.simulation.tables import replay_changes, replays
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import person
from tests.support.simulation.replays import REPLAYS, answered, replay_of
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.usefixtures("missed_soon")

POINTS = ["uncommitted:replay.page", pytest.param("after:replay.page", marks=pytest.mark.slow)]


@pytest.mark.parametrize("point", POINTS)
async def test_worker_killed_in_the_middle_of_a_replay(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path, point: str
) -> None:
    await answered(idle_engine.database, shop, *"abcde")
    headers, settings = await person(idle_engine, shop, Role.OWNER), idle_engine.settings
    begun = await idle_engine.http.post(REPLAYS, json={"variant": {}}, headers=headers)
    replay_id = begun.json()["id"]
    crashing = ("-m", "tests.support.core.crashing_worker", point)
    with process("dying", *crashing, settings=settings, folder=tmp_path) as dying:
        await eventually(lambda: has_ended(dying))
        assert dying.exit_code == -signal.SIGKILL
    kept = await only_row(idle_engine.database, replays, of=shop)
    # On a slow machine, a page ends early with at least one event.
    assert kept["examined"] in ([0] if point.startswith("uncommitted") else range(1, 6))

    async def over() -> Replay | None:
        replay = await replay_of(idle_engine.database, shop, replay_id)
        return replay if replay.finished_at else None

    async with idle_engine.working():
        done = await eventually(over)
    assert (done.state, done.examined, done.seen) == (ReplayState.DONE, 5, 5)
    changes = await rows(idle_engine.database, replay_changes, of=shop)
    assert len(changes) == done.changed
