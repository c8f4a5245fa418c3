"""The subscription: a client's plan at a given time, and the effect of plan changes."""

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
    """A client's plan and pending plan change.

    `next_plan` takes effect at `next_plan_from`. The plan in effect is computed when it is read, so
    no job has to apply the change.
    """

    plan: Plan
    trial_ends_at: datetime | None = None
    next_plan: Plan | None = None
    next_plan_from: datetime | None = None

    def settled(self, now: datetime) -> "Subscription":
        """Return the subscription, with its pending plan change applied if the change is due."""
        if self.next_plan is None or self.next_plan_from is None or now < self.next_plan_from:
            return self
        return replace(self, plan=self.next_plan, next_plan=None, next_plan_from=None)

    def trial_end(self, now: datetime) -> datetime | None:
        """Return the time when the trial ends, or None if no trial is running."""
        return self.trial_ends_at if self.trial_ends_at and now < self.trial_ends_at else None

    def plan_at(self, now: datetime) -> Plan:
        """Return the plan in effect. During a trial, it is at least pro."""
        plan = self.settled(now).plan
        if self.trial_end(now) is None:
            return plan
        return max(plan, _TRIAL_PLAN, key=_RANK.__getitem__)

    def is_unpaid(self, now: datetime) -> bool:
        """Return True if the client's plan, ignoring any trial, is the free plan."""
        return self.settled(now).plan is Plan.FREE

    def includes_webhooks(self, now: datetime) -> bool:
        """Return True if the plan in effect includes webhooks."""
        return self.plan_at(now) in _WITH_WEBHOOKS

    def require_webhooks(self, now: datetime) -> None:
        """Raise PlanRequired if the plan in effect does not include webhooks."""
        if not self.includes_webhooks(now):
            raise PlanRequired(f"webhooks are not in the plan {self.plan_at(now)}")

    def standing(self, now: datetime, *, tickets_used: int, credits_balance: int) -> QuotaStanding:
        """Return the client's usage and quota in the month of `now`. `tickets_used` is the number
        of tickets used in the current month."""
        return QuotaStanding(
            period=period_of(now),
            tickets_used=tickets_used,
            tickets_limit=TICKETS[self.plan_at(now)],
            credits_balance=credits_balance,
        )

    def changed_to(
        self, plan: Plan, now: datetime, *, paid_until: datetime | None = None
    ) -> "Subscription":
        """Return the subscription after a change to `plan`.

        An upgrade takes effect immediately. A downgrade takes effect next month, or at `paid_until`
        if later. Choosing the current plan cancels a pending downgrade. A trial continues.
        """
        settled = self.settled(now)
        if _RANK[plan] >= _RANK[settled.plan]:
            return replace(settled, plan=plan, next_plan=None, next_plan_from=None)
        begins = next_period_start(now)
        return replace(settled, next_plan=plan, next_plan_from=max(begins, paid_until or begins))

    def is_above(self, plan: Plan, now: datetime) -> bool:
        """Return True if `plan` is above the plan in effect. The trial is ignored."""
        return _RANK[plan] > _RANK[self.settled(now).plan]

    def is_below(self, plan: Plan, now: datetime) -> bool:
        """Return True if the client's upcoming plan is below `plan`. Without a pending change, the
        current plan is compared."""
        settled = self.settled(now)
        return _RANK[settled.next_plan or settled.plan] < _RANK[plan]

    def paid(self, bought: Plan, now: datetime) -> Plan:
        """Return the plan covered by this month's payment for `bought`: the lower of `bought` and
        the plan in effect.

        The client may have chosen a lower plan, or an operator may have granted a higher one.
        """
        return min(bought, self.settled(now).plan, key=_RANK.__getitem__)

    def unpaid(self, bought: Plan, now: datetime, *, at_period_end: bool) -> "Subscription":
        """Return the subscription after the payments for a purchased plan have ended.

        The plan becomes free once the paid period ends. A plan above the purchased one remains
        because an operator granted it.
        """
        settled = self.settled(now)
        if _RANK[settled.plan] > _RANK[bought]:
            return settled
        if at_period_end:
            return replace(settled, plan=Plan.FREE, next_plan=None, next_plan_from=None)
        return settled.changed_to(Plan.FREE, now)
