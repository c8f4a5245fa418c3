"""The first payment, and incompatible checkouts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.billing.checkout import Checkout, FirstPayment, RenewalState, first_payment
from domain.billing.payment import PaymentEvent, PaymentKind, PaymentProblem, doubt
from domain.core.money import Money
from domain.core.period import next_period_start
from domain.tenants.client import Plan


def eur(minor: int) -> Money:
    return Money(minor=minor, currency="EUR")


@pytest.mark.parametrize(
    ("now", "amount", "renews_at"),
    [
        ("2026-11-01T00:00:00+00:00", 3000, "2026-12-01"),
        ("2026-11-21T12:00:00+00:00", 1000, "2026-12-01"),
        ("2026-11-21T12:00:01+00:00", 1000, "2026-12-01"),
        # Within the last three days, the next month is charged at once, because renewals begin
        # later.
        ("2026-11-28T00:00:00+00:00", 300, "2026-12-01"),
        ("2026-11-28T00:00:01+00:00", 300 + 3000, "2027-01-01"),
        ("2026-11-30T23:59:59+00:00", 100 + 3000, "2027-01-01"),
        # Already December locally, still November in UTC.
        ("2026-12-01T00:30:00+01:00", 100 + 3000, "2027-01-01"),
        ("2026-12-31T12:00:00+00:00", 97 + 3000, "2027-02-01"),
        ("2028-02-29T12:00:00+00:00", 104 + 3000, "2028-04-01"),
    ],
)
def test_the_rest_of_the_month(now: str, amount: int, renews_at: str) -> None:
    first = first_payment(eur(3000), datetime.fromisoformat(now))

    assert (first.amount, first.renews_at.date().isoformat()) == (eur(amount), renews_at)


MOMENTS = st.integers(0, 20 * 365 * 86_400).map(
    lambda seconds: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)


@given(
    MOMENTS,
    st.integers(1, 10**6),
    st.integers(0, 10**6),
)
def test_any_first_payment(now: datetime, monthly: int, paid: int) -> None:
    """Never more than two months, never free, and renewed no earlier than Stripe permits."""
    first = first_payment(eur(monthly), now)
    less = first_payment(eur(monthly), now, paid=eur(paid))

    assert 0 < first.amount.minor <= 2 * monthly
    assert less.amount.minor <= first.amount.minor
    assert less.renews_at == first.renews_at
    assert timedelta(days=3) <= first.renews_at - now <= timedelta(days=34)
    assert next_period_start(first.renews_at - timedelta(seconds=1)) == first.renews_at


def test_a_month_that_is_paid_already_costs_the_difference() -> None:
    """The replaced plan was purchased in these days, together with the next month."""
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    january = datetime(2027, 1, 1, tzinfo=UTC)

    first = first_payment(eur(9000), now, paid=eur(3000), paid_until=january)

    assert first == FirstPayment(eur(200 + 6000), january)


CHECKOUT = Checkout(
    id="checkout",
    client_id="client",
    plan=Plan.PRO,
    amount=eur(100),
    monthly=eur(300),
    created_at=datetime(2026, 11, 21, tzinfo=UTC),
    session_id="session",
)
PAYMENT = PaymentEvent(
    id="event",
    type="t",
    kind=PaymentKind.PAID,
    created_at=CHECKOUT.created_at,
    client_id="client",
    session_id="session",
    amount=eur(100),
)


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (PAYMENT, None),
        (replace(PAYMENT, client_id=None), None),
        (replace(PAYMENT, client_id="other"), PaymentProblem.OTHER_CLIENT),
        (replace(PAYMENT, session_id="other"), PaymentProblem.OTHER_SESSION),
        (replace(PAYMENT, session_id=None), PaymentProblem.OTHER_SESSION),
        (replace(PAYMENT, amount=eur(99)), PaymentProblem.OTHER_AMOUNT),
        (replace(PAYMENT, amount=None), PaymentProblem.OTHER_AMOUNT),
        (replace(PAYMENT, amount=Money(minor=100, currency="USD")), PaymentProblem.OTHER_AMOUNT),
        (replace(PAYMENT, kind=PaymentKind.RETURNED), PaymentProblem.MONEY_RETURNED),
        (replace(PAYMENT, kind=PaymentKind.RENEWED), PaymentProblem.NOT_RENEWED_HERE),
        (replace(PAYMENT, kind=PaymentKind.PENDING, amount=None), None),
    ],
)
def test_doubts(event: PaymentEvent, problem: PaymentProblem | None) -> None:
    assert doubt(event, CHECKOUT, None) == problem


def test_doubts_about_what_is_paid_monthly() -> None:
    active = replace(CHECKOUT, subscription_id="sub", renewal=RenewalState.ACTIVE)
    renewal = replace(PAYMENT, kind=PaymentKind.RENEWED, subscription_id="sub", amount=eur(300))

    assert doubt(renewal, active, active) is None
    assert doubt(replace(renewal, amount=eur(100)), active, active) is PaymentProblem.OTHER_AMOUNT
    for other in (RenewalState.REPLACED, RenewalState.ENDED, None):
        replaced = replace(active, renewal=other)
        assert doubt(renewal, replaced, None) is PaymentProblem.NOT_RENEWED_HERE
    ended = replace(PAYMENT, kind=PaymentKind.ENDED, subscription_id="another")
    assert doubt(ended, active, active) is PaymentProblem.OTHER_SESSION
    assert doubt(PAYMENT, CHECKOUT, active) is PaymentProblem.REPLACED_MEANWHILE
    replacing = replace(CHECKOUT, replaces=active.id)
    assert doubt(PAYMENT, replacing, active) is None
    assert doubt(PAYMENT, replacing, None) is PaymentProblem.REPLACED_MEANWHILE
