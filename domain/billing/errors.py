"""Errors of plans, quotas and credits."""

from collections.abc import Mapping

from domain.billing.quota import QuotaStanding
from domain.core.errors import DomainError


class PlanRequired(DomainError):
    """The client's plan does not include the feature."""

    code = "plan_required"


class QuotaExhausted(DomainError):
    """The client has used up its tickets of the month, and has no credit left."""

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


class NotForSale(DomainError):
    """The item cannot be bought: it has no price, or the client already has an equal or higher
    plan."""

    code = "not_for_sale"


class NotALowerPlan(DomainError):
    """The plan is above the client's current plan, so it must be bought instead of chosen."""

    code = "not_a_lower_plan"


class TooManyCheckouts(DomainError):
    """The client has too many payment pages that are open and unpaid."""

    code = "too_many_checkouts"


class CheckoutNotFound(DomainError):
    code = "checkout_not_found"


class PaymentsUnavailable(DomainError):
    """No payment provider is configured."""

    code = "payments_unavailable"


class PaymentsUnreachable(DomainError):
    """The payment provider did not respond, or sent an unexpected response. The failed call did not
    cause a payment."""

    code = "payments_unreachable"
    retryable = True
    retry_after_s = 10.0


class InvalidPaymentSignature(DomainError):
    """The signature does not show that the payment provider sent the event, or is too old."""

    code = "invalid_payment_signature"
