"""A new worker build takes over under load: no caller notices.

The new build has changed a workflow, behind a patch. It finishes a run that the old build left in
review.
"""

import json
from collections import Counter
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from adapters.system import utc_now
from domain.core import names
from domain.reviews.escalation import Decision
from store.billing.tables import usage_ledger
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.load import Load
from tests.support.core.processes import Process, has_ended, process
from tests.support.core.rows import rows
from tests.support.core.schedules import fire
from tests.support.core.waiting import eventually
from tests.support.runs.changed_process_event import PATCH, ChangedProcessEvent
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop, open_shop

pytestmark = pytest.mark.slow

CALLS: Final = 240
CALLERS: Final = 8
SHOPS: Final = 10
REPLAYED: Final = 40
DEPLOYMENT: Final = "tests"


class Builds:
    """The worker processes of any build."""

    def __init__(self, engine: LiveEngine, folder: Path, held: ExitStack) -> None:
        self._engine = engine
        self._folder = folder
        self._held = held

    async def promoted(self, build_id: str, *engine_worker: str) -> list[Process]:
        """Start a build's worker for each queue, and make it current as an operator does: while the
        workers are still starting."""
        webhooks = ("worker.py", "--queue", names.WEBHOOKS_QUEUE)
        workers = [self._start(build_id, *engine_worker), self._start(build_id, *webhooks)]
        await self.deployment(build_id, "promote")
        return workers

    async def deployment(self, build_id: str, command: str) -> dict[str, Any]:
        """Return the output of `cli.py deployment` in the environment of a build."""
        done = self._start(build_id, "cli.py", "deployment", command, "--json")
        await eventually(partial(has_ended, done), 60)
        assert done.exit_code == 0, done.log_tail()
        said: dict[str, Any] = json.loads(done.log_tail(1))
        return said

    def _start(self, build_id: str, *arguments: str) -> Process:
        return self._held.enter_context(
            process(
                f"{build_id}-{len(arguments)}-{arguments[-1]}",
                *arguments,
                settings=self._engine.settings,
                folder=self._folder,
                TEMPORAL_DEPLOYMENT=DEPLOYMENT,
                TEMPORAL_BUILD_ID=build_id,
            )
        )


async def test_a_new_build_takes_over_under_load(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    load = Load(idle_engine.post, [await open_shop(idle_engine.database) for _ in range(SHOPS)])
    with ExitStack() as held:
        builds = Builds(idle_engine, tmp_path, held)
        old = await builds.promoted("a", "worker.py")
        parked = (await idle_engine.post(shop, message=UNSURE_MESSAGE)).json()
        assert parked["status"] == "needs_review"

        async with load.running(CALLERS):
            await load.answered(CALLS // 4)
            await builds.promoted("b", "-m", "tests.support.core.changed_worker")
            for worker in old:
                worker.terminate()
            for worker in old:
                await eventually(partial(has_ended, worker), 60)
                assert worker.exit_code == 0, worker.log_tail()
            await load.answered(max(CALLERS, CALLS - len(load.answers)))

        assert load.statuses() == {(200, "completed")}
        run = idle_engine.run_of(shop, parked["event_id"])
        review = await idle_engine.review_of(parked["run_id"], round_=0)
        await idle_engine.decide(review["id"], Decision.EDIT, "Bonjour, je vous rappelle.")
        assert (await run.result())["status"] == "completed"
        histories = [await run.fetch_history(), *await _some(idle_engine)]
        # So do workflows started by a schedule.
        earlier = utc_now().replace(second=0, microsecond=0) - timedelta(minutes=5)
        sweep = idle_engine.client.get_workflow_handle(
            await fire(idle_engine.client, names.SWEEP_SCHEDULE, earlier)
        )
        await sweep.result()
        assert _builds_of(await sweep.fetch_history()) == {"b"}
        known = (await builds.deployment("b", "show"))["builds"]
        assert known.keys() == {"a", "b"}
        assert known["b"] == "current"
        # Everything was counted once, and answered once.
        assert len(await rows(idle_engine.database, usage_ledger)) == len(load.answers) + 1
        states = Counter(row["status"] for row in await rows(idle_engine.database, engine_runs))
        assert states == {"completed": len(load.answers) + 1}

    assert _builds_of(histories[0]) == {"a", "b"}
    assert _is_patched(histories[0])
    assert {"a"} in map(_builds_of, histories)
    assert {"b"} in map(_builds_of, histories)
    later = Replayer(workflows=[ChangedProcessEvent], data_converter=pydantic_data_converter)
    for history in histories:
        assert not _is_patched(history) or "b" in _builds_of(history)
        await later.replay_workflow(history)


async def _some(engine: LiveEngine) -> list[WorkflowHistory]:
    """Return histories of runs from the first to the last."""
    stored = sorted(await rows(engine.database, engine_runs), key=lambda row: row["id"])
    ids = [
        names.process_event_id(row["client_id"], row["event_id"])
        for row in stored[:: len(stored) // REPLAYED]
    ]
    return [await engine.client.get_workflow_handle(each).fetch_history() for each in ids]


def _builds_of(history: WorkflowHistory) -> set[str]:
    """Return the builds that processed a run."""
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
