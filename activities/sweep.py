"""Sweep: pick up what a crash left between two steps."""

from datetime import timedelta
from typing import Final

from temporalio import activity

from domain import names
from domain.contracts import ProcessEventInput, SweepInput, SweepResult
from domain.ports import Clock, Engine
from store.database import Database
from store.escalation_repository import decisions_not_taken_up
from store.run_repository import runs_left_received

BATCH: Final = 200


class Sweep:
    def __init__(self, database: Database, engine: Engine, now: Clock) -> None:
        self._database = database
        self._engine = engine
        self._now = now

    @activity.defn(name=names.SWEEP_RECEIVED)
    async def start_received(self, step: SweepInput) -> SweepResult:
        """Start the workflows of runs that were admitted and never answered.

        Idempotency key: the workflow's id; a run that is under way is left alone.
        """
        before = self._now() - timedelta(seconds=step.older_than_s)
        async with self._database.transaction() as connection:
            waiting = await runs_left_received(connection, before=before, limit=BATCH)
        started = 0
        for run in waiting:
            started += await self._engine.start(
                ProcessEventInput(
                    ref=run.ref,
                    threshold=run.threshold,
                    remote_brain=step.remote_brain,
                    review_expiry_s=step.review_expiry_s,
                )
            )
            activity.heartbeat()
        return SweepResult(picked_up=started)

    @activity.defn(name=names.SWEEP_DECISIONS)
    async def wake_decided(self, step: SweepInput) -> SweepResult:
        """Wake parked runs whose decision is stored but was not taken up.

        Idempotency key: the decision itself, which the run reads from PostgreSQL once.
        """
        before = self._now() - timedelta(seconds=step.older_than_s)
        async with self._database.transaction() as connection:
            decided = await decisions_not_taken_up(connection, before=before, limit=BATCH)
        woken = 0
        for escalation in decided:
            woken += await self._engine.wake(escalation.ref, escalation.id)
            activity.heartbeat()
        return SweepResult(picked_up=woken)
