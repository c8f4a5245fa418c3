"""The sweep of runs. It resumes work that a crash interrupted between two steps."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog
from temporalio import activity

from activities.runtime.one_by_one import one_by_one
from domain.core import names
from domain.core.contracts import RunRef
from domain.core.ports import Clock
from domain.runs.contracts import ProcessEventInput, SweepInput, SweepResult
from domain.runs.ports import Engine
from store.core.database import Database
from store.core.place import Place
from store.reviews.decision_sweep import DecidedEscalation, decisions_not_taken_up, give_up
from store.runs.left_received import WaitingRun, runs_left_received

BATCH: Final = 200

_log = structlog.get_logger(__name__)


class SweepRuns:
    def __init__(self, database: Database, engine: Engine, now: Clock) -> None:
        self._database = database
        self._engine = engine
        self._now = now

    @activity.defn(name=names.SWEEP_RECEIVED)
    async def start_received(self, step: SweepInput) -> SweepResult:
        """Start the workflows of runs that were admitted but never answered. Idempotency key: the
        workflow's id."""
        before = self._now() - timedelta(seconds=step.older_than_s)

        async def next_page(after: Place | None) -> Sequence[WaitingRun]:
            async with self._database.service() as connection:
                return await runs_left_received(connection, before=before, after=after, limit=BATCH)

        async def start(run: WaitingRun) -> bool:
            return await self._start(step, run.ref, run.threshold, reopened=run.reopened)

        return await one_by_one(next_page, start, what="run not started")

    @activity.defn(name=names.SWEEP_DECISIONS)
    async def wake_decided(self, step: SweepInput) -> SweepResult:
        """Signal waiting runs that have a stored decision but have not applied it yet. A repeated
        signal has no effect: a run reads its decision from PostgreSQL and applies it once."""
        before = self._now() - timedelta(seconds=step.older_than_s)

        async def next_page(after: Place | None) -> Sequence[DecidedEscalation]:
            async with self._database.service() as connection:
                return await decisions_not_taken_up(
                    connection, before=before, after=after, limit=BATCH
                )

        async def wake(decided: DecidedEscalation) -> bool:
            return await self._wake(step, decided)

        return await one_by_one(next_page, wake, what="failed to signal a run")

    async def _wake(self, step: SweepInput, decided: DecidedEscalation) -> bool:
        """Signal the run, and return whether the signal was sent. A lost workflow is restarted
        first. If the run has ended, discard the decision."""
        if await self._engine.wake(decided.ref, decided.id):
            return True
        if await self._start(step, decided.ref, decided.threshold):
            # The restarted workflow reaches the same wait, where it receives this signal.
            return await self._engine.wake(decided.ref, decided.id)
        _log.error("decision has no run", review_id=decided.id, run_id=decided.ref.run_id)
        async with self._database.service() as connection:
            await give_up(connection, decided.id, self._now())
        return False

    async def _start(
        self, step: SweepInput, ref: RunRef, threshold: float, *, reopened: bool = False
    ) -> bool:
        return await self._engine.start(
            ProcessEventInput(
                ref=ref,
                threshold=threshold,
                remote_brain=step.remote_brain,
                review_expiry_s=step.review_expiry_s,
                reopened=reopened,
            )
        )
