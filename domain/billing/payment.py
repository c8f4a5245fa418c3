"""The payment provider's events, and the checks before an event is applied."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.billing.checkout import Checkout, RenewalState
from domain.core.money import Money


class PaymentKind(StrEnum):
    """The kind of a payment event. `ended`: the monthly payment has ended. `returned`: the payment
    was refunded or is disputed."""

    PAID = "paid"
    PENDING = "pending"
    FAILED = "failed"
    RENEWED = "renewed"
    ENDED = "ended"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True)
class PaymentEvent:
    """A payment event with a verified signature. A value that the provider did not send is None.

    `type` is the provider's name for the event, and `created_at` its time by the provider's clock.
    `at_period_end` means that the plan ended with the paid period.
    """

    id: str
    type: str
    kind: PaymentKind
    created_at: datetime
    checkout_id: str | None = None
    client_id: str | None = None
    session_id: str | None = None
    subscription_id: str | None = None
    customer_id: str | None = None
    amount: Money | None = None
    at_period_end: bool = False


class EventState(StrEnum):
    """The outcome of a payment event. `people`: the event had no effect, and an operator must
    examine it."""

    APPLIED = "applied"
    NOTED = "noted"
    PEOPLE = "people"


class PaymentProblem(StrEnum):
    """The reason why an operator must examine a payment event."""

    UNKNOWN_CHECKOUT = "unknown_checkout"
    OTHER_CLIENT = "other_client"
    OTHER_SESSION = "other_session"
    OTHER_AMOUNT = "other_amount"
    REPLACED_MEANWHILE = "replaced_meanwhile"
    NOT_RENEWED_HERE = "not_renewed_here"
    CLIENT_CLOSED = "client_closed"
    MONEY_RETURNED = "money_returned"


@dataclass(frozen=True, slots=True)
class Settlement:
    state: EventState
    problem: PaymentProblem | None = None

    @staticmethod
    def people(problem: PaymentProblem) -> "Settlement":
        return Settlement(EventState.PEOPLE, problem)


def doubt(
    event: PaymentEvent, checkout: Checkout, active: Checkout | None
) -> PaymentProblem | None:
    """Return the reason why a payment event must not be applied, or None if it can be applied.

    `active` is the checkout of the plan that has an active monthly payment, or None.
    """
    if event.client_id is not None and event.client_id != checkout.client_id:
        return PaymentProblem.OTHER_CLIENT
    match event.kind:
        case PaymentKind.RETURNED:
            return PaymentProblem.MONEY_RETURNED
        case PaymentKind.PAID:
            return _doubt_payment(event, checkout, active)
        case PaymentKind.RENEWED:
            return _doubt_renewal(event, checkout)
        case PaymentKind.ENDED if checkout.subscription_id not in (None, event.subscription_id):
            return PaymentProblem.OTHER_SESSION
    return None


def _doubt_payment(
    event: PaymentEvent, checkout: Checkout, active: Checkout | None
) -> PaymentProblem | None:
    # The id of the checkout's session is None if the process exited before it could store the id.
    if checkout.session_id not in (None, event.session_id):
        return PaymentProblem.OTHER_SESSION
    if event.amount != checkout.amount:
        return PaymentProblem.OTHER_AMOUNT
    if checkout.plan is not None and checkout.replaces != (active.id if active else None):
        return PaymentProblem.REPLACED_MEANWHILE
    return None


def _doubt_renewal(event: PaymentEvent, checkout: Checkout) -> PaymentProblem | None:
    if (
        checkout.renewal is not RenewalState.ACTIVE
        or checkout.subscription_id != event.subscription_id
    ):
        return PaymentProblem.NOT_RENEWED_HERE
    return PaymentProblem.OTHER_AMOUNT if event.amount != checkout.monthly else None
