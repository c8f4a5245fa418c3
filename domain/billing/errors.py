"""Errors of plans, quotas and credits."""

from collections.abc import Mapping

from domain.billing.quota import QuotaStanding
from domain.core.errors import DomainError


class PlanRequired(DomainError):
    """The client's plan does not include the feature."""

    code = "plan_required"


class QuotaExhausted(DomainError):
    """The client has used up its tickets for the month, and has no credits left."""

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
    """The item cannot be purchased: it has no price, or the client already has an equal or higher
    plan."""

    code = "not_for_sale"


class NotALowerPlan(DomainError):
    """The plan is above the client's current plan, so it must be purchased, not chosen."""

    code = "not_a_lower_plan"


class TooManyCheckouts(DomainError):
    """The client has too many open, unpaid payment pages."""

    code = "too_many_checkouts"


class CheckoutNotFound(DomainError):
    code = "checkout_not_found"


class PaymentsUnavailable(DomainError):
    """No payment provider is configured."""

    code = "payments_unavailable"


class PaymentsUnreachable(DomainError):
    """The payment provider did not respond, or sent an unexpected response. The failed call did not
    result in a payment."""

    code = "payments_unreachable"
    retryable = True
    retry_after_s = 10.0


class InvalidPaymentSignature(DomainError):
    """The signature is too old, or does not prove that the payment provider sent the event."""

    code = "invalid_payment_signature"
