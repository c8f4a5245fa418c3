"""The checkout: one thing that a client wants to pay for, and what is asked for it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.core.money import Money
from domain.core.period import next_period_start
from domain.tenants.client import Plan

OPEN_FOR: Final = timedelta(hours=1)
"""How long the provider's page takes a payment."""

MAX_OPEN: Final = 20
"""Pages of one client that were asked for within that time and are not paid."""

# The provider begins a monthly renewal at least two days after the payment, which comes up to an
# hour after it was asked for.
_RENEWED_EARLIEST: Final = timedelta(days=3)


class CheckoutState(StrEnum):
    """`asked`: the provider may not know of it. `open`: it can be paid. `pending`: the payment is
    on its way, as with a bank transfer. `failed`: nothing was paid and nothing will be."""

    ASKED = "asked"
    OPEN = "open"
    PENDING = "pending"
    PAID = "paid"
    FAILED = "failed"


class RenewalState(StrEnum):
    """Of the monthly payment that a bought plan goes on by. `replaced`: another plan was bought in
    its place, and the provider still has to end it."""

    ACTIVE = "active"
    REPLACED = "replaced"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Checkout:
    """Either `plan` or `credits` is bought.

    `amount`: paid now. `monthly`: paid from `renews_at` on, of a plan. `replaces`: the checkout
    whose plan was being paid for monthly when this one was asked for. `customer_id`: by which the
    provider knows who pays, if it does. `choice`: of a lower plan, begun last.
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
    """What the rest of this month costs, and when whole months begin.

    By days in UTC, today included, rounded up to a whole minor unit. `paid`: the monthly price of
    the plan that this one replaces, as it was paid for this month, and until `paid_until` where
    that is later. In a month's last three days the next month is paid at once.
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
