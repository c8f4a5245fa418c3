"""Usage periods: open a month for every client, and see that a month adds up."""

from collections.abc import AsyncIterator
from typing import Final

import structlog
from temporalio import activity

from domain import names
from domain.contracts import (
    OpenPeriodInput,
    OpenPeriodResult,
    ReconcileInput,
    ReconcileResult,
)
from domain.period import Period, period_of
from store.database import Database
from store.usage_periods import client_page, drifting, make_due_changes, open_counters

_PAGE: Final = 500

_log = structlog.get_logger(__name__)


class UsagePeriods:
    def __init__(self, database: Database) -> None:
        self._database = database

    @activity.defn(name=names.OPEN_PERIOD)
    async def open_period(self, step: OpenPeriodInput) -> OpenPeriodResult:
        """Make the plan changes that are due, and set every client's new counter to 0.

        Idempotency keys: (client, period) for the counter; a change that is made waits no more.
        """
        opened = changed = 0
        async for page in self._pages():
            async with self._database.service() as connection:
                changed += await make_due_changes(connection, page, step.at)
                opened += await open_counters(connection, page, period_of(step.at))
        return OpenPeriodResult(opened=opened, changed=changed)

    @activity.defn(name=names.RECONCILE)
    async def reconcile(self, step: ReconcileInput) -> ReconcileResult:
        """Compare every client's counter and balance with their ledgers. Writes nothing."""
        compared = found = 0
        async for page in self._pages():
            async with self._database.service() as connection:
                drifts = await drifting(connection, page, Period(step.period))
            compared += len(page)
            found += len(drifts)
            for drift in drifts:
                _log.error(
                    "usage does not add up",
                    client_id=drift.client_id,
                    period=step.period,
                    counted=drift.counted,
                    in_ledger=drift.in_ledger,
                    balance=drift.balance,
                    in_credit_ledger=drift.in_credit_ledger,
                )
        return ReconcileResult(compared=compared, drifting=found)

    async def _pages(self) -> AsyncIterator[list[str]]:
        """All clients' ids, page by page: no transaction is long, and no lock is held for long."""
        last = ""
        while True:
            async with self._database.service() as connection:
                page = await client_page(connection, after=last, limit=_PAGE)
            if not page:
                return
            yield page
            activity.heartbeat()
            last = page[-1]
