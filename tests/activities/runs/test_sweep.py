"""Runs that cannot be started, and where a sweep resumes."""

from collections.abc import Sequence

import pytest
from temporalio.testing import ActivityEnvironment

from activities.runs import sweep
from activities.runs.sweep import SweepRuns
from adapters.system import utc_now
from domain.core.contracts import BackgroundRef, RunRef
from domain.core.errors import EngineUnavailable
from domain.runs.contracts import ProcessEventInput, SweepInput, SweepResult
from store.core.database import Database
from tests.support.intake.admission import admit_event
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

ALL = SweepInput(older_than_s=0)


class Engine:
    """An engine that records what it is asked to start. It does not respond for some runs."""

    def __init__(self, *away: str, poisoned: Sequence[str] = ()) -> None:
        self.started: list[str] = []
        self._away = away
        self._poisoned = poisoned

    async def start(self, event: ProcessEventInput) -> bool:
        if event.ref.run_id in self._away:
            raise EngineUnavailable("Temporal did not answer")
        if event.ref.run_id in self._poisoned:
            raise ValueError("poison")
        self.started.append(event.ref.run_id)
        return True

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:  # noqa: ARG002 - the port's name
        raise AssertionError

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        raise AssertionError(workflow, work)

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:  # noqa: ARG002
        raise AssertionError


class Tries:
    """The attempts of one activity. Each starts with the last heartbeat of the previous attempt."""

    def __init__(self) -> None:
        self.left: tuple[object, ...] = ()

    async def run(self, database: Database, engine: Engine) -> SweepResult:
        environment = ActivityEnvironment()
        given = {**environment.info.__dict__, "heartbeat_details": self.left}
        environment.info = environment.info.__class__(**given)
        environment.on_heartbeat = self._keep
        return await environment.run(SweepRuns(database, engine, utc_now).start_received, ALL)

    def _keep(self, *details: object) -> None:
        self.left = details


@pytest.fixture
async def waiting(database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return runs of two clients that have not been started, oldest first, over several pages."""
    monkeypatch.setattr(sweep, "BATCH", 2)
    both = (shop, await open_shop(database))
    return [(await admit_event(database, both[number % 2])).ref.run_id for number in range(7)]


async def test_one_that_cannot_be_started_keeps_no_other_from_it(
    database: Database, waiting: list[str]
) -> None:
    engine = Engine(waiting[0], waiting[1], waiting[4])

    assert await Tries().run(database, engine) == SweepResult(picked_up=4, failed=3)
    assert engine.started == [waiting[number] for number in (2, 3, 5, 6)]


async def test_a_run_whose_start_is_a_fault_keeps_no_other_from_it_and_is_reported(
    database: Database, waiting: list[str]
) -> None:
    tries, engine = Tries(), Engine(poisoned=waiting[:5])

    with pytest.raises(ValueError, match="poison"):
        await tries.run(database, engine)
    assert engine.started == waiting[5:]
    # The retry goes on after them, so the step ends.
    assert await tries.run(database, engine) == SweepResult(picked_up=2, failed=5)


async def test_when_nobody_answers_the_next_try_goes_on_behind_them(
    database: Database, waiting: list[str]
) -> None:
    tries, engine = Tries(), Engine(*waiting[2:5])
    with pytest.raises(EngineUnavailable):
        await tries.run(database, engine)
    assert engine.started == waiting[:2]

    assert (await tries.run(database, engine)).picked_up == 4
    assert engine.started == waiting[:2] + waiting[5:]
