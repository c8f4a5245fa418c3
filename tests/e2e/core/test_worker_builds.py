"""A new build of the workers takes over in the middle of the load: nobody notices.

The new build has changed a workflow, behind a gate. A run that was parked by the old build is
decided and finished by the new one.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from domain.core import names
from domain.reviews.escalation import Decision
from store.billing.tables import usage_ledger
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import Process, process
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.runs.changed_process_event import PATCH, ChangedProcessEvent
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop, open_shop

pytestmark = [pytest.mark.alone, pytest.mark.slow]

CALLS: Final = 1_000
CALLERS: Final = 8
SHOPS: Final = 8  # none asks more often than it may in an hour
REPLAYED: Final = 40
DEPLOYMENT: Final = "tests"


class Build:
    """The processes of one build: a worker for each queue."""

    def __init__(
        self, engine: LiveEngine, folder: Path, build_id: str, *engine_worker: str
    ) -> None:
        self._engine = engine
        self._folder = folder
        self.id = build_id
        self._held = ExitStack()
        webhooks = ("worker.py", "--queue", names.WEBHOOKS_QUEUE)
        self.workers = [
            self._start("engine", *engine_worker),
            self._start("webhooks", *webhooks),
        ]

    def _start(self, name: str, *arguments: str) -> Process:
        return self._held.enter_context(
            process(
                f"{name}-{self.id}",
                *arguments,
                settings=self._engine.settings,
                folder=self._folder,
                TEMPORAL_DEPLOYMENT=DEPLOYMENT,
                TEMPORAL_BUILD_ID=self.id,
            )
        )

    async def promote(self) -> None:
        """As an operator does it, while the workers are still starting."""
        command = self._start("promote", "cli.py", "deployment", "promote", "--json")
        await eventually(lambda: _ended(command), 60)
        assert command.exit_code == 0, command.log_tail()

    async def drain(self) -> None:
        """Ask its workers to end, and wait until they have."""
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            await eventually(lambda: _ended(worker), 60)  # noqa: B023 - called at once
            assert worker.exit_code == 0, worker.log_tail()

    def close(self) -> None:
        self._held.close()


@contextmanager
def build(engine: LiveEngine, folder: Path, build_id: str, *engine_worker: str) -> Iterator[Build]:
    started = Build(engine, folder, build_id, *engine_worker)
    try:
        yield started
    finally:
        started.close()


class Load:
    """Callers that ask one after the other, `CALLS` times in all. `done` counts their answers."""

    def __init__(self, engine: LiveEngine, shops: list[Shop]) -> None:
        self._engine = engine
        self._turns = zip(range(CALLS), itertools.cycle(shops), strict=False)
        self.answers: Counter[tuple[int, str]] = Counter()

    async def call(self) -> None:
        for _, shop in self._turns:
            answer = await self._engine.post(shop, message=ORDER_QUESTION)
            self.answers[answer.status_code, answer.json().get("status", answer.text)] += 1

    async def reached(self, number: int) -> bool:
        return self.answers.total() >= number


async def test_a_new_build_takes_over_under_load(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    shops = [await open_shop(idle_engine.database) for _ in range(SHOPS)]
    load = Load(idle_engine, shops)
    with ExitStack() as held:
        old = held.enter_context(build(idle_engine, tmp_path, "a", "worker.py"))
        await old.promote()
        parked = (await idle_engine.post(shop, message=UNSURE_MESSAGE)).json()
        assert parked["status"] == "needs_review"

        async with asyncio.TaskGroup() as calls:
            for _ in range(CALLERS):
                calls.create_task(load.call())
            await eventually(lambda: load.reached(CALLS // 4), 120)
            new = held.enter_context(
                build(idle_engine, tmp_path, "b", "-m", "tests.support.core.changed_worker")
            )
            await new.promote()
            await old.drain()
            assert not await load.reached(CALLS)  # there was load until the old ones had ended

        assert load.answers == {(200, "completed"): CALLS}
        run = idle_engine.run_of(shop, parked["event_id"])
        review = await idle_engine.review_of(parked["run_id"], round_=0)
        await idle_engine.decide(review["id"], Decision.EDIT, "Bonjour, je vous rappelle.")
        assert (await run.result())["status"] == "completed"
        histories = [await run.fetch_history(), *await _some(idle_engine)]
        # Everything was counted once, and answered once.
        assert len(await rows(idle_engine.database, usage_ledger)) == CALLS + 1
        states = Counter(row["status"] for row in await rows(idle_engine.database, engine_runs))
        assert states == {"completed": CALLS + 1}

    assert _builds_of(histories[0]) == {"a", "b"}
    assert set().union(*map(_builds_of, histories)) == {"a", "b"}
    for history in histories:
        assert _is_patched(history) == ("b" in _builds_of(history)), _builds_of(history)
        await Replayer(
            workflows=[ChangedProcessEvent], data_converter=pydantic_data_converter
        ).replay_workflow(history)


async def _some(engine: LiveEngine) -> list[WorkflowHistory]:
    """Histories of runs from the first to the last."""
    stored = sorted(await rows(engine.database, engine_runs), key=lambda row: row["id"])
    ids = [
        names.process_event_id(row["client_id"], row["event_id"])
        for row in stored[:: CALLS // REPLAYED]
    ]
    return [await engine.client.get_workflow_handle(each).fetch_history() for each in ids]


def _builds_of(history: WorkflowHistory) -> set[str]:
    """The builds that worked on it."""
    return {
        event.workflow_task_completed_event_attributes.deployment_version.build_id
        for event in history.events
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
    }


def _is_patched(history: WorkflowHistory) -> bool:
    markers: list[Any] = [
        event.marker_recorded_event_attributes
        for event in history.events
        if event.event_type == EventType.EVENT_TYPE_MARKER_RECORDED
    ]
    return any(PATCH.encode() in marker.SerializeToString() for marker in markers)


async def _ended(child: Process) -> bool:
    return child.exit_code is not None
