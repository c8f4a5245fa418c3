"""The quota: the monthly tickets of a plan, and whether the quota or a credit pays for the next
ticket."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, get_args

from domain.core.period import Period
from domain.tenants.client import Plan

UNLIMITED: Final = -1

TICKETS: Final[Mapping[Plan, int]] = {
    Plan.FREE: 50,
    Plan.STARTER: 1_000,
    Plan.PRO: 5_000,
    Plan.ENTERPRISE: UNLIMITED,
}
"""Number of tickets per calendar month, by plan."""

Threshold = Literal[80, 100]
"""The percentages of the quota at which the client is notified, each once a month."""

_THRESHOLDS: Final[tuple[Threshold, ...]] = get_args(Threshold)


class PaidBy(StrEnum):
    QUOTA = "quota"
    CREDIT = "credit"


@dataclass(frozen=True, slots=True)
class QuotaStanding:
    """A client's used tickets and credit balance in one month. `tickets_limit` is the quota, or
    UNLIMITED."""

    period: Period
    tickets_used: int
    tickets_limit: int
    credits_balance: int

    @property
    def quota_reached(self) -> bool:
        return self.tickets_limit != UNLIMITED and self.tickets_used >= self.tickets_limit

    def payment(self) -> PaidBy | None:
        """Return the means of payment for one more ticket: the quota, one credit, or None if both
        are used up."""
        if not self.quota_reached:
            return PaidBy.QUOTA
        return PaidBy.CREDIT if self.credits_balance > 0 else None

    def after(self, paid_by: PaidBy) -> "QuotaStanding":
        """Return the usage and balance after one more ticket, paid by the quota or a credit
        (`paid_by`)."""
        return QuotaStanding(
            period=self.period,
            tickets_used=self.tickets_used + 1,
            tickets_limit=self.tickets_limit,
            credits_balance=self.credits_balance - (paid_by is PaidBy.CREDIT),
        )

    def thresholds(self) -> tuple[Threshold, ...]:
        """Return the usage thresholds reached, in percent, lowest first.

        A threshold is reached at ceil(percent of the limit) tickets. Unlimited plans have none.
        """
        if self.tickets_limit == UNLIMITED:
            return ()
        reached = (p for p in _THRESHOLDS if self.tickets_used * 100 >= p * self.tickets_limit)
        return tuple(reached)
