"""The subscription: the plan in effect at a time, and the effect of plan changes."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.billing.errors import PlanRequired
from domain.billing.quota import TICKETS, QuotaStanding
from domain.core.period import next_period_start, period_of
from domain.tenants.client import Plan

_RANK: Final = {Plan.FREE: 0, Plan.STARTER: 1, Plan.PRO: 2, Plan.ENTERPRISE: 3}
_TRIAL_PLAN: Final = Plan.PRO
_WITH_WEBHOOKS: Final = frozenset({Plan.PRO, Plan.ENTERPRISE})


@dataclass(frozen=True, slots=True)
class Subscription:
    """A client's plan.

    `next_plan` takes effect at `next_plan_from`. No scheduled job is needed: the plan is computed
    for the time of each query.
    """

    plan: Plan
    trial_ends_at: datetime | None = None
    next_plan: Plan | None = None
    next_plan_from: datetime | None = None

    def settled(self, now: datetime) -> "Subscription":
        """Return the subscription with a due change applied."""
        if self.next_plan is None or self.next_plan_from is None or now < self.next_plan_from:
            return self
        return replace(self, plan=self.next_plan, next_plan=None, next_plan_from=None)

    def trial_end(self, now: datetime) -> datetime | None:
        """Return when the trial ends, or None if no trial is running."""
        return self.trial_ends_at if self.trial_ends_at and now < self.trial_ends_at else None

    def plan_at(self, now: datetime) -> Plan:
        """Return the plan in effect: at least pro during a trial."""
        plan = self.settled(now).plan
        if self.trial_end(now) is None:
            return plan
        return max(plan, _TRIAL_PLAN, key=_RANK.__getitem__)

    def is_unpaid(self, now: datetime) -> bool:
        """Return whether the client is on the free plan, during its trial or after it."""
        return self.settled(now).plan is Plan.FREE

    def includes_webhooks(self, now: datetime) -> bool:
        return self.plan_at(now) in _WITH_WEBHOOKS

    def require_webhooks(self, now: datetime) -> None:
        """Raise PlanRequired if the plan does not include webhooks."""
        if not self.includes_webhooks(now):
            raise PlanRequired(f"webhooks are not in the plan {self.plan_at(now)}")

    def standing(self, now: datetime, *, tickets_used: int, credits_balance: int) -> QuotaStanding:
        """Return the quota standing in the month of `now`, with `tickets_used` tickets used."""
        return QuotaStanding(
            period=period_of(now),
            tickets_used=tickets_used,
            tickets_limit=TICKETS[self.plan_at(now)],
            credits_balance=credits_balance,
        )

    def changed_to(
        self, plan: Plan, now: datetime, *, paid_until: datetime | None = None
    ) -> "Subscription":
        """Return the subscription after a plan change.

        An upgrade takes effect immediately, a downgrade next month, or at `paid_until` if that is
        later. Choosing the current plan cancels a pending downgrade. The trial continues.
        """
        settled = self.settled(now)
        if _RANK[plan] >= _RANK[settled.plan]:
            return replace(settled, plan=plan, next_plan=None, next_plan_from=None)
        begins = next_period_start(now)
        return replace(settled, next_plan=plan, next_plan_from=max(begins, paid_until or begins))

    def is_above(self, plan: Plan, now: datetime) -> bool:
        """Return whether a plan is above the one in effect, ignoring the trial."""
        return _RANK[plan] > _RANK[self.settled(now).plan]

    def is_below(self, plan: Plan, now: datetime) -> bool:
        """Return whether the upcoming plan, or without a pending change the current one, is below a
        plan."""
        settled = self.settled(now)
        return _RANK[settled.next_plan or settled.plan] < _RANK[plan]

    def paid(self, bought: Plan, now: datetime) -> Plan:
        """Return the plan for which this month was paid, if the client pays for `bought`.

        If the plan in effect is lower, the client has chosen it; if it is higher, an operator has
        granted it.
        """
        return min(bought, self.settled(now).plan, key=_RANK.__getitem__)

    def unpaid(self, bought: Plan, now: datetime, *, at_period_end: bool) -> "Subscription":
        """Return the subscription after the payments for a bought plan have ended.

        The plan becomes free: immediately if the paid time has ended, else next month. A plan above
        the bought one was granted, and remains.
        """
        settled = self.settled(now)
        if _RANK[settled.plan] > _RANK[bought]:
            return settled
        if at_period_end:
            return replace(settled, plan=Plan.FREE, next_plan=None, next_plan_from=None)
        return settled.changed_to(Plan.FREE, now)
