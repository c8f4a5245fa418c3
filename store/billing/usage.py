"""A client's usage under its plan: tickets, quota and credits."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.billing.quota import QuotaStanding
from domain.billing.subscription import Subscription
from domain.core.period import Period
from domain.tenants.client import Plan
from domain.tenants.errors import ClientNotFound
from store.billing.tables import usage_counters
from store.core.repository import TenantRepository
from store.tenants.tables import clients


@dataclass(frozen=True, slots=True)
class ClientUsage:
    """One client's usage and limits for one month."""

    subscription: Subscription
    tickets_used: int
    credits_balance: int

    def standing(self, now: datetime) -> QuotaStanding:
        """Return the client's usage relative to its quota. `now` is a time in the month that this
        object describes."""
        return self.subscription.standing(
            now, tickets_used=self.tickets_used, credits_balance=self.credits_balance
        )


_IN_MONTH: Final = (
    sa.select(
        clients.c.plan,
        clients.c.trial_ends_at,
        clients.c.next_plan,
        clients.c.next_plan_from,
        sa.func.coalesce(usage_counters.c.tickets_used, 0),
        clients.c.credits_balance,
    )
    .select_from(
        clients.outerjoin(
            usage_counters,
            sa.and_(
                usage_counters.c.client_id == clients.c.id,
                usage_counters.c.period == sa.bindparam("month"),
            ),
        )
    )
    .where(clients.c.id == sa.bindparam("tenant"))
)


class UsageRepository(TenantRepository):
    async def in_month(self, period: Period) -> ClientUsage:
        """Return the usage and limits for one month. Raises ClientNotFound."""
        values = {"tenant": self._tenant, "month": period}
        row = await self._one(_IN_MONTH, values, ClientNotFound(self._tenant))
        plan, trial_ends_at, next_plan, next_plan_from, tickets_used, credits_balance = row
        return ClientUsage(
            subscription=Subscription(
                plan=Plan(plan),
                trial_ends_at=trial_ends_at,
                next_plan=next_plan and Plan(next_plan),
                next_plan_from=next_plan_from,
            ),
            tickets_used=tickets_used,
            credits_balance=credits_balance,
        )
