"""A client's ticket usage in past months and on past days."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.billing.forecast import LOOKED_BACK
from domain.core.period import period_of
from store.billing.tables import usage_counters, usage_ledger
from store.core.repository import TenantRepository
from store.tenants.tables import clients


@dataclass(frozen=True, slots=True)
class UsedMonth:
    period: str
    tickets_used: int


_MONTHS: Final = 24


class UsageHistory(TenantRepository):
    async def months(self, now: datetime) -> tuple[UsedMonth, ...]:
        """Return the client's usage for each of the last `_MONTHS` months that have a usage
        counter, newest first. The current month is excluded."""
        counted = usage_counters.c
        rows = await self._connection.execute(
            sa.select(counted.period, counted.tickets_used)
            .where(counted.client_id == self._tenant, counted.period < period_of(now))
            .order_by(counted.period.desc())
            .limit(_MONTHS)
        )
        return tuple(UsedMonth(*row) for row in rows)

    async def latest_days(self, now: datetime) -> list[int]:
        """Return the number of tickets on each of the last seven full UTC days, with 0 for a day
        without tickets. Days before the client's creation are omitted."""
        today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        made = await self._connection.scalar(
            sa.select(clients.c.created_at).where(clients.c.id == self._tenant)
        )
        if made is None:
            return []
        since = max(today - LOOKED_BACK, made.replace(hour=0, minute=0, second=0, microsecond=0))
        used = usage_ledger.c
        day = sa.func.date_trunc("day", used.created_at)
        rows = await self._connection.execute(
            sa.select(day, sa.func.count())
            .where(
                used.client_id == self._tenant,
                # The rows are indexed by month. A ticket belongs to the month in which it was
                # admitted.
                used.period.in_({period_of(since), period_of(today)}),
                used.created_at >= since,
                used.created_at < today,
                used.returned_at.is_(None),
            )
            .group_by(day)
        )
        counts = {row[0]: row[1] for row in rows}
        days = (today - since) // timedelta(days=1)
        return [counts.get(since + timedelta(days=n), 0) for n in range(days)]
