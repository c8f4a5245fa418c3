"""The activity that computes each client's daily metrics."""

from collections.abc import Sequence
from datetime import date
from typing import Final

import structlog
from temporalio import activity

from activities.runtime.bisect_batch import bisect_batch
from activities.runtime.client_pages import client_pages
from domain.analytics.contracts import ComputeMetricsInput, ComputeMetricsResult
from domain.analytics.metrics import days_of
from domain.core import names
from domain.core.ports import Clock
from domain.privacy.retention import may_be_incomplete
from store.analytics.day_counts import DAY_PATIENCE_S, count_day
from store.analytics.metrics import keep_day
from store.core.database import Database

_AT_ONCE: Final = 200

_log = structlog.get_logger(__name__)


class ComputeMetrics:
    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    @activity.defn(name=names.COMPUTE_METRICS)
    async def compute(self, step: ComputeMetricsInput) -> ComputeMetricsResult:
        """Compute the daily metrics of one client, or of all clients, page by page.

        Idempotency key: (client, day). A retry continues after the last finished page. A failed
        client is logged and does not stop the others.
        """
        last, done = _broken_off()
        async for page in client_pages(self._database, step.client_id, after=last, size=_AT_ONCE):
            before = last, done
            for day in days_of(step.first, step.last):
                done = done.plus(await self._day(page, day, before))
            last = page[-1]
            activity.heartbeat(last, done)
        return done

    async def _day(
        self, page: Sequence[str], day: date, place: tuple[str, ComputeMetricsResult]
    ) -> ComputeMetricsResult:
        async def work(client_ids: Sequence[str]) -> ComputeMetricsResult:
            return await self._compute(client_ids, day)

        made, failed = await bisect_batch(
            self._database, page, work, beat=lambda: activity.heartbeat(*place)
        )
        for client_id in failed:
            _log.error("failed to compute metrics", client_id=client_id, day=day.isoformat())
        result = ComputeMetricsResult(failed=len(failed))
        for one in made:
            result = result.plus(one)
        return result

    async def _compute(self, client_ids: Sequence[str], day: date) -> ComputeMetricsResult:
        now = self._now()
        async with self._database.service(patience_s=DAY_PATIENCE_S) as connection:
            found = await count_day(connection, client_ids, day, now)
            # Skip clients whose records of this day may already have been removed because their
            # counts could be too low. Metrics that are already stored for the day are kept.
            whole = [one for one in found if not may_be_incomplete(day, one.retention, now)]
            changed = await keep_day(connection, whole, day, now)
        return ComputeMetricsResult(
            computed=len(whole), changed=changed, left=len(found) - len(whole)
        )


def _broken_off() -> tuple[str, ComputeMetricsResult]:
    """Return the previous attempt's progress: the last finished client, and the results so far."""
    match activity.info().heartbeat_details:
        case [str(last), dict(done)]:
            return last, ComputeMetricsResult.model_validate(done)
    return "", ComputeMetricsResult()
