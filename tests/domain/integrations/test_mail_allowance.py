"""A client's daily email limit."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.billing.subscription import Subscription
from domain.integrations.mail_allowance import (
    FREE_PER_DAY,
    PAID_PER_DAY,
    REFUSALS_WITHIN,
    MailGroup,
    MailStanding,
    is_accountable,
    mails_per_day,
)
from domain.tenants.client import Plan

NOW = datetime(2026, 11, 24, tzinfo=UTC)
TRIAL = Subscription(Plan.FREE, trial_ends_at=NOW + timedelta(days=9))
PAID = Subscription(Plan.PRO)


ANSWERS = (MailGroup.ANSWERS, MailGroup.CLAIMS)


def standing(
    subscription: Subscription = TRIAL,
    *,
    group: MailGroup = MailGroup.MEMBERS,
    days: int = 0,
    sent: int = 0,
    refused: int = 0,
) -> MailStanding:
    return MailStanding(NOW - timedelta(days=days), subscription, group, sent, refused)


def test_a_trial_is_no_plan_that_is_paid_for() -> None:
    assert not is_accountable(TRIAL, NOW)
    assert is_accountable(PAID, NOW)
    assert mails_per_day(standing(TRIAL), NOW) == FREE_PER_DAY
    assert mails_per_day(standing(PAID), NOW) == PAID_PER_DAY


def test_it_grows_with_age() -> None:
    grown = [mails_per_day(standing(days=days), NOW) for days in (0, 6, 7, 14, 21)]
    assert grown == [FREE_PER_DAY * by for by in (1, 1, 2, 4, 8)]
    assert mails_per_day(standing(days=70), NOW) == mails_per_day(standing(days=4_000), NOW)


@pytest.mark.parametrize(
    ("sent", "refused", "left"),
    [(4, 4, FREE_PER_DAY), (100, 5, FREE_PER_DAY), (100, 6, FREE_PER_DAY // 10), (50, 6, 0)],
)
def test_refusals_reduce_it(sent: int, refused: int, left: int) -> None:
    assert mails_per_day(standing(sent=sent, refused=refused), NOW) == left


@pytest.mark.parametrize("group", ANSWERS)
@pytest.mark.parametrize(
    ("sent", "refused", "left"),
    [(4, 4, 1_000), (5, 5, 950), (100, 50, 500), (10_000, 50, 500), (100, 100, 0), (200, 200, 0)],
)
def test_refused_answers_reduce_the_answers_of_their_day_by_their_number(
    group: MailGroup, sent: int, refused: int, left: int
) -> None:
    """Five rejected answers are a large share of a quiet morning, but must not end the day's
    answers."""
    assert REFUSALS_WITHIN[group] == timedelta(days=1)
    assert mails_per_day(standing(PAID, group=group, sent=sent, refused=refused), NOW) == left
