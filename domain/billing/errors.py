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


class NotForSale(DomainError):
    """The item cannot be bought: it has no price, or the client has as much already."""

    code = "not_for_sale"


class NotALowerPlan(DomainError):
    """A plan above the present one: it is bought, not chosen."""

    code = "not_a_lower_plan"


class TooManyCheckouts(DomainError):
    """The client has too many open payment pages that are unpaid."""

    code = "too_many_checkouts"


class CheckoutNotFound(DomainError):
    code = "checkout_not_found"


class PaymentsUnavailable(DomainError):
    """No payment provider is configured."""

    code = "payments_unavailable"


class PaymentsUnreachable(DomainError):
    """The payment provider did not answer, or not as expected: this call paid nothing."""

    code = "payments_unreachable"
    retryable = True
    retry_after_s = 10.0


class InvalidPaymentSignature(DomainError):
    """The payment provider did not sign the event, or not recently."""

    code = "invalid_payment_signature"
