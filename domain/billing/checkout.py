"""A checkout: a client's purchase of a plan or of credits, with its price."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.core.money import Money
from domain.core.period import next_period_start
from domain.tenants.client import Plan

OPEN_FOR: Final = timedelta(hours=1)
"""The period during which the payment provider's page accepts payment."""

MAX_OPEN: Final = 20
"""Maximum number of unpaid payment pages that one client may open within OPEN_FOR."""

# If less time than this remains until the next month, the first payment includes that month. The
# payment provider starts renewals at least two days after a payment, which may arrive up to an hour
# after the checkout.
_RENEWED_EARLIEST: Final = timedelta(days=3)


class CheckoutState(StrEnum):
    """The state of a checkout.

    - `asked`: the payment provider may not have received it yet.
    - `open`: the client can pay.
    - `pending`: the payment is in progress, as with a bank transfer.
    - `failed`: it was not paid and no longer can be.
    """

    ASKED = "asked"
    OPEN = "open"
    PENDING = "pending"
    PAID = "paid"
    FAILED = "failed"


class RenewalState(StrEnum):
    """The state of the monthly payment for a purchased plan. `replaced`: the client has purchased
    another plan instead, and the payment provider must still end this payment."""

    ACTIVE = "active"
    REPLACED = "replaced"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Checkout:
    """The purchase of a plan or of credits.

    - `amount`: the amount to pay now.
    - `monthly`: for a plan, the monthly price starting at `renews_at`.
    - `replaces`: the checkout of the plan with a monthly payment that this one replaces.
    - `customer_id`: the payment provider's id for the payer, or None.
    - `choice`: the id of the client's latest choice of a lower plan.
    """

    id: str
    client_id: str
    amount: Money
    created_at: datetime
    plan: Plan | None = None
    credits: int | None = None
    monthly: Money | None = None
    renews_at: datetime | None = None
    replaces: str | None = None
    customer_id: str | None = None
    state: CheckoutState = CheckoutState.ASKED
    url: str | None = None
    session_id: str | None = None
    subscription_id: str | None = None
    renewal: RenewalState | None = None
    choice: str | None = None

    @property
    def expires_at(self) -> datetime:
        return self.created_at + OPEN_FOR


@dataclass(frozen=True, slots=True)
class FirstPayment:
    amount: Money
    renews_at: datetime


def first_payment(
    monthly: Money,
    now: datetime,
    *,
    paid: Money | None = None,
    paid_until: datetime | None = None,
) -> FirstPayment:
    """Return the price for the rest of this month, and the start of the first month that is paid in
    full.

    The price is per UTC day, including today, and rounded up to a minor unit. `paid` is the monthly
    price of the replaced plan, and its share of the remaining days is deducted. If `paid_until` is
    in a later month, the next month is added, again minus `paid`. In the last three days of a
    month, the next month is added in full.
    """
    renews_at = next_period_start(now)
    here = now.astimezone(renews_at.tzinfo)
    begin = here.replace(day=1)
    days, left = (renews_at.date() - begin.date()).days, (renews_at.date() - here.date()).days
    more = monthly.minor - (paid.minor if paid is not None else 0)
    amount = max(0, -(-more * left // days))
    if paid_until is not None and paid_until > renews_at:
        renews_at = next_period_start(renews_at)
        amount += max(0, more)
    elif renews_at - here < _RENEWED_EARLIEST:
        renews_at = next_period_start(renews_at)
        amount += monthly.minor
    return FirstPayment(Money(minor=amount, currency=monthly.currency), renews_at)
