"""The activities that open a billing month for every client, and check the month's totals."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import structlog
from temporalio import activity

from activities.runtime.bisect_batch import bisect_batch
from activities.runtime.client_pages import client_pages
from domain.billing.contracts import (
    OpenPeriodInput,
    OpenPeriodResult,
    ReconcileInput,
    ReconcileResult,
)
from domain.core import names
from domain.core.period import Period, period_of
from store.billing.usage_periods import drifting, make_due_changes, open_counters
from store.core.database import Database

_OPENED_AT_ONCE: Final = 500
# Each statement counts the month's tickets and all credits of only a few clients, because it must
# end within its timeout of 3 s.
_COMPARED_AT_ONCE: Final = 20

R = TypeVar("R", OpenPeriodResult, ReconcileResult)

_log = structlog.get_logger(__name__)


class UsagePeriods:
    def __init__(self, database: Database) -> None:
        self._database = database

    @activity.defn(name=names.OPEN_PERIOD)
    async def open_period(self, step: OpenPeriodInput) -> OpenPeriodResult:
        """Apply the plan changes that are due, and create every client's usage counter for the new
        month, starting at 0.

        Idempotency key of a counter: (client, period). An applied plan change is no longer due. A
        retry continues after the last finished page. A failed client does not stop the others.
        """

        async def work(client_ids: Sequence[str]) -> OpenPeriodResult:
            async with self._database.service() as connection:
                changed = await make_due_changes(connection, client_ids, step.at)
                opened = await open_counters(connection, client_ids, period_of(step.at))
            return OpenPeriodResult(opened=opened, changed=changed)

        last, done = _broken_off(OpenPeriodResult)
        async for page in client_pages(self._database, "", after=last, size=_OPENED_AT_ONCE):
            made, failed = await self._bisect(page, work, (last, done))
            done = OpenPeriodResult(
                opened=done.opened + sum(one.opened for one in made),
                changed=done.changed + sum(one.changed for one in made),
                failed=done.failed + failed,
            )
            last = page[-1]
            activity.heartbeat(last, done)
        return done

    @activity.defn(name=names.RECONCILE)
    async def reconcile(self, step: ReconcileInput) -> ReconcileResult:
        """Compare every client's usage counter and credit balance with its ledgers. Read-only.

        A retry continues after the last compared page. A failed client does not stop the others.
        """

        async def work(client_ids: Sequence[str]) -> ReconcileResult:
            return await self._compare(client_ids, Period(step.period))

        last, done = _broken_off(ReconcileResult)
        async for page in client_pages(self._database, "", after=last, size=_COMPARED_AT_ONCE):
            made, failed = await self._bisect(page, work, (last, done))
            done = ReconcileResult(
                compared=done.compared + sum(one.compared for one in made),
                drifting=done.drifting + sum(one.drifting for one in made),
                failed=done.failed + failed,
            )
            last = page[-1]
            activity.heartbeat(last, done)
        return done

    async def _compare(self, client_ids: Sequence[str], period: Period) -> ReconcileResult:
        async with self._database.service() as connection:
            drifts = await drifting(connection, client_ids, period)
        for drift in drifts:
            _log.error(
                "usage totals do not match",
                client_id=drift.client_id,
                period=period,
                counted=drift.counted,
                in_ledger=drift.in_ledger,
                balance=drift.balance,
                in_credit_ledger=drift.in_credit_ledger,
            )
        return ReconcileResult(compared=len(client_ids), drifting=len(drifts))

    async def _bisect(
        self,
        page: Sequence[str],
        work: Callable[[Sequence[str]], Awaitable[R]],
        place: tuple[str, R],
    ) -> tuple[list[R], int]:
        """Process a page of clients, splitting it in two whenever it fails. Return the results, and
        the number of clients that failed."""
        made, failed = await bisect_batch(
            self._database, page, work, beat=lambda: activity.heartbeat(*place)
        )
        for client_id in failed:
            _log.error("monthly reset failed for period", client_id=client_id)
        return made, len(failed)


def _broken_off(kind: type[R]) -> tuple[str, R]:
    """Return the previous attempt's progress: the last finished client, and the results so far."""
    match activity.info().heartbeat_details:
        case [str(last), dict(done)]:
            return last, kind.model_validate(done)
    return "", kind()
