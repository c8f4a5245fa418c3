"""The quota: how many tickets a month a plan pays for, and who pays for the next one."""

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
"""Tickets a calendar month, by plan."""

Threshold = Literal[80, 100]
"""Percent of the quota whose crossing is told, once a month each."""

_THRESHOLDS: Final[tuple[Threshold, ...]] = get_args(Threshold)


class PaidBy(StrEnum):
    QUOTA = "quota"
    CREDIT = "credit"


@dataclass(frozen=True, slots=True)
class QuotaStanding:
    """What a client has used and has left in one month. `tickets_limit`: UNLIMITED is -1."""

    period: Period
    tickets_used: int
    tickets_limit: int
    credits_balance: int

    @property
    def quota_reached(self) -> bool:
        return self.tickets_limit != UNLIMITED and self.tickets_used >= self.tickets_limit

    def payment(self) -> PaidBy | None:
        """Who pays for one more ticket: the quota, then one credit; None if nobody does."""
        if not self.quota_reached:
            return PaidBy.QUOTA
        return PaidBy.CREDIT if self.credits_balance > 0 else None

    def after(self, paid_by: PaidBy) -> "QuotaStanding":
        """The standing when that ticket is counted."""
        return QuotaStanding(
            period=self.period,
            tickets_used=self.tickets_used + 1,
            tickets_limit=self.tickets_limit,
            credits_balance=self.credits_balance - (paid_by is PaidBy.CREDIT),
        )

    def thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds at or below which the use stands, in percent, lowest first.

        Each counts from ceil(percent of the limit) tickets on. An unlimited plan has none.
        """
        if self.tickets_limit == UNLIMITED:
            return ()
        reached = (p for p in _THRESHOLDS if self.tickets_used * 100 >= p * self.tickets_limit)
        return tuple(reached)
