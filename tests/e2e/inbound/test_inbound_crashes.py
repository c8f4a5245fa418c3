"""kill -9 between a webhook's arrival and its effect: each takes effect exactly once.

`test_process_webhook.py` covers a kill between the commit and the workflow start: the sweep finds
the row.
"""

import signal
from pathlib import Path

import pytest

from store.billing.tables import usage_ledger
from store.inbound.tables import inbound_messages, inbound_webhooks
from store.intake.tables import engine_events
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.inbound.stored import listen_to
from tests.support.inbound.working import Inbox
from tests.support.tenants.shop import ORDER_QUESTION, Shop

pytestmark = pytest.mark.usefixtures("missed_soon")

# The first: everything is committed, but neither the run nor the next webhook has started.
POINTS = [
    "after:inbound.work",
    *(
        pytest.param(point, marks=pytest.mark.slow)
        for point in ("before:inbound.work", "uncommitted:inbound.work", "before:event.normalize")
    ),
]


@pytest.mark.parametrize("point", POINTS)
async def test_worker_killed_between_arrival_and_effect(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path, point: str
) -> None:
    database = idle_engine.database
    async with database.tenant(shop.tenant) as connection:
        inbox = Inbox(database, shop, await listen_to(connection, shop.tenant))
    first, second = [await inbox.comes(ORDER_QUESTION) for _ in range(2)]
    with process(
        "dying", "-m", "tests.support.core.crashing_worker", point,
        settings=idle_engine.settings, folder=tmp_path,
    ) as dying:  # fmt: skip
        await idle_engine.engine.process_webhook(inbox.step(first))
        await eventually(lambda: has_ended(dying))
    assert dying.exit_code == -signal.SIGKILL

    async with idle_engine.working():
        await eventually(lambda: _all_answered(idle_engine))

    assert await inbox.states(first, second) == ["done event", "done event"]
    effects = {
        table.name: len(await rows(database, table))
        for table in (engine_events, engine_runs, inbound_messages, usage_ledger)
    }
    assert effects == dict.fromkeys(effects, 2)
    asked = await rows(database, engine_messages, direction="inbound")
    told = await rows(database, engine_messages, direction="outbound")
    assert (len(asked), len(told)) == (2, 2)


async def _all_answered(engine: LiveEngine) -> bool:
    runs = await rows(engine.database, engine_runs, status="completed")
    return len(runs) == len(await rows(engine.database, inbound_webhooks)) == 2
