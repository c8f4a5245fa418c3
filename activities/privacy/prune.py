"""Prune: delete what was kept for a time, when the time is over."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from domain.core import names
from domain.core.ports import Clock
from domain.privacy.contracts import HousekeepingInput, PruneResult
from store.core.database import Database
from store.core.tables import error_reports
from store.intake.tables import idempotency_keys, inbound_events
from store.privacy.prune import empty_bodies, prune_older
from store.webhooks.tables import webhook_misses

_Batch = Callable[[AsyncConnection, datetime], Awaitable[int]]


class Prune:
    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    @activity.defn(name=names.PRUNE)
    async def prune(self, step: HousekeepingInput) -> PruneResult:
        """Idempotency keys, error reports, which events of other platforms were taken, what
        webhooks have missed and the bodies of what was told. Repeating it prunes what is left."""
        steps: tuple[tuple[_Batch, float], ...] = (
            (partial(prune_older, idempotency_keys), step.idempotency_s),
            (partial(prune_older, error_reports), step.error_reports_s),
            (partial(prune_older, inbound_events), step.inbound_events_s),
            # Before the bodies, so that none is missed that cannot be replayed.
            (partial(prune_older, webhook_misses), step.webhooks_s),
            (empty_bodies, step.webhooks_s),
        )
        now = self._now()
        pruned = [await self._all(batch, now - timedelta(seconds=age)) for batch, age in steps]
        return PruneResult(pruned=sum(pruned))

    async def _all(self, prune_batch: _Batch, before: datetime) -> int:
        pruned = 0
        while True:
            async with self._database.service() as connection:
                batch = await prune_batch(connection, before)
            pruned += batch
            activity.heartbeat()
            if not batch:
                return pruned
