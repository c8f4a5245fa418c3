"""Prune: delete what was kept for a time, when the time is over."""

from datetime import timedelta

from temporalio import activity

from domain import names
from domain.contracts import HousekeepingInput, PruneResult
from domain.ports import Clock
from store.database import Database
from store.prune import prune_older
from store.tables import error_reports, idempotency_keys


class Prune:
    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    @activity.defn(name=names.PRUNE)
    async def prune(self, step: HousekeepingInput) -> PruneResult:
        """Idempotency keys and error reports. Repeating it deletes what is left."""
        now, pruned = self._now(), 0
        for table, seconds in (
            (idempotency_keys, step.idempotency_s),
            (error_reports, step.error_reports_s),
        ):
            while True:
                async with self._database.service() as connection:
                    batch = await prune_older(connection, table, now - timedelta(seconds=seconds))
                pruned += batch
                activity.heartbeat()
                if not batch:
                    break
        return PruneResult(pruned=pruned)
