"""A naive model of a client's usage."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from domain.billing.errors import QuotaExhausted
from domain.billing.quota import UNLIMITED
from domain.core.period import period_of
from domain.intake.errors import ClientRateLimited, CustomerRateLimited
from domain.intake.gateway_limits import MessageLimit
from domain.tenants.client import Plan

QUOTAS = {Plan.FREE: 2, Plan.STARTER: 5, Plan.PRO: 9, Plan.ENTERPRISE: UNLIMITED}
RANK = list(QUOTAS)
PER_CUSTOMER = MessageLimit(4, timedelta(minutes=10))
PER_CLIENT = MessageLimit(7, timedelta(hours=1))
FACTS = ("period", "threshold", "tickets_used", "tickets_limit", "credits_balance")
START = datetime(2026, 12, 31, 21, tzinfo=UTC)


@dataclass
class Model:
    """The expected values, computed naively."""

    plan: Plan = Plan.FREE
    trial_ends_at: datetime | None = None
    waiting: tuple[Plan, datetime] | None = None
    credits: int = 0
    sent: list[tuple[datetime, str]] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)
    told: set[tuple[str, int]] = field(default_factory=set)

    def limit(self, now: datetime) -> int:
        if self.waiting and now >= self.waiting[1]:
            self.plan, self.waiting = self.waiting[0], None
        trial = self.trial_ends_at is not None and now < self.trial_ends_at
        return QUOTAS[max(self.plan, Plan.PRO, key=RANK.index) if trial else self.plan]

    def send(self, now: datetime, customer: str, *, wanted: bool) -> str:
        if sum(c == customer and at > now - PER_CUSTOMER.window for at, c in self.sent) >= 4:
            return CustomerRateLimited.code
        if sum(at > now - PER_CLIENT.window for at, _ in self.sent) >= 7:
            return ClientRateLimited.code
        limit, month = self.limit(now), period_of(now)
        beyond = limit != UNLIMITED and self.used[month] >= limit
        if beyond and not self.credits:
            self._tell(month, limit)
            return QuotaExhausted.code
        self.sent.append((now, customer))
        if wanted:
            self.used[month] += 1
            self.credits -= beyond
            self._tell(month, limit)
        return "in"

    def _tell(self, month: str, limit: int) -> None:
        for threshold in (80, 100):
            if limit != UNLIMITED and self.used[month] >= limit * threshold / 100:
                later = any(m == month and t >= threshold for m, t in self.told)
                if not later:
                    self.told.add((month, threshold))


def credits_spent_on(entries: list[dict[str, Any]]) -> set[str]:
    """Return the events whose tickets a credit ledger's entries finally paid for."""
    sums: Counter[str] = Counter()
    for entry in entries:
        event_id = entry["event_id"] or entry["returned_event_id"]
        if event_id:
            sums[event_id] += entry["amount"]
    assert set(sums.values()) <= {0, -1}, "one credit a ticket"
    return {event_id for event_id, amount in sums.items() if amount}
