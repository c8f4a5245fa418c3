"""Errors around plans, quota and credits."""

from collections.abc import Mapping

from domain.billing.quota import QuotaStanding
from domain.core.errors import DomainError


class PlanRequired(DomainError):
    """The feature is not in the client's plan."""

    code = "plan_required"


class QuotaExhausted(DomainError):
    """The month's tickets are used up, and there is no credit."""

    code = "quota_exhausted"

    def __init__(self, standing: QuotaStanding, *, thresholds_untold: bool = False) -> None:
        super().__init__()
        self.standing = standing
        self.thresholds_untold = thresholds_untold

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {
            "tickets_used": self.standing.tickets_used,
            "tickets_limit": self.standing.tickets_limit,
            "credits_balance": self.standing.credits_balance,
        }
