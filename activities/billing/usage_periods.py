"""Usage periods: open a month for every client, and see that a month adds up."""

from typing import Final

import structlog
from temporalio import activity

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
# Comparing counts the month's tickets and all credits of each, and a statement has 3 s.
_COMPARED_AT_ONCE: Final = 20

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
        async for page in client_pages(self._database, "", after="", size=_OPENED_AT_ONCE):
            async with self._database.service() as connection:
                changed += await make_due_changes(connection, page, step.at)
                opened += await open_counters(connection, page, period_of(step.at))
            activity.heartbeat()
        return OpenPeriodResult(opened=opened, changed=changed)

    @activity.defn(name=names.RECONCILE)
    async def reconcile(self, step: ReconcileInput) -> ReconcileResult:
        """Compare every client's counter and balance with their ledgers. Writes nothing.

        A retry goes on after the last page that was compared.
        """
        last, compared, found = _broken_off()
        async for page in client_pages(self._database, "", after=last, size=_COMPARED_AT_ONCE):
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
            activity.heartbeat(page[-1], compared, found)
        return ReconcileResult(compared=compared, drifting=found)


def _broken_off() -> tuple[str, int, int]:
    """Where the try before this one stopped: the last client, how many compared, how many found."""
    match activity.info().heartbeat_details:
        case [str(last), int(compared), int(found)]:
            return last, compared, found
    return "", 0, 0
