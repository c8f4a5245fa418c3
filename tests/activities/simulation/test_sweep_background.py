"""The sweep starts long-running work whose workflow never started or was lost."""

from collections.abc import Sequence

import pytest
from temporalio.testing import ActivityEnvironment

from activities.simulation.sweep_background import SweepBackground
from adapters.system import utc_now
from domain.cases.case_run import CaseRunState
from domain.core import names
from domain.core.contracts import BackgroundRef, RunRef
from domain.runs.contracts import SweepInput
from domain.simulation.replay import ReplayState
from store.core.database import Database
from tests.support.cases.cases import a_case_run
from tests.support.simulation.replays import a_replay
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database


class Starts:
    """An engine that records what it is asked to start. `under_way`: the record whose workflow is
    already running."""

    def __init__(self, under_way: str) -> None:
        self.begun: list[tuple[str, BackgroundRef]] = []
        self._under_way = under_way

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:  # noqa: ARG002 - the port's name
        raise AssertionError

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        self.begun.append((workflow, work))
        return work.record_id != self._under_way

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:  # noqa: ARG002
        raise AssertionError


async def test_only_what_is_not_over_is_begun(database: Database, shop: Shop) -> None:
    queued = await a_replay(database, shop)
    running = await a_replay(
        database, other := await open_shop(database), state=ReplayState.RUNNING
    )
    for over in (ReplayState.DONE, ReplayState.STOPPED, ReplayState.FAILED):
        await a_replay(database, shop, state=over)
    tried = await a_case_run(database, shop, state=CaseRunState.QUEUED)
    await a_case_run(database, other)
    engine = Starts(under_way=running)

    swept = SweepInput(older_than_s=0, remote_brain=True)
    done = await ActivityEnvironment().run(
        SweepBackground(database, engine, utc_now).begin_left, swept
    )

    assert done.picked_up == 2  # one was already running
    assert engine.begun == [
        (workflow, BackgroundRef(client_id=client, record_id=record, remote_brain=True))
        for workflow, client, record in (
            (names.RUN_CASES, shop.client_id, tried),
            (names.REPLAY, shop.client_id, queued),
            (names.REPLAY, other.client_id, running),
        )
    ]
