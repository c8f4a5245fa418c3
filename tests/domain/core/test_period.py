"""Months in UTC, and their boundaries."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.period import next_billing_date, next_period_start, period_of, previous_period

AWARE = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001 - Hypothesis adds the zone
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(-timedelta(hours=12))]),
)


@pytest.mark.parametrize(
    ("now", "period", "billing"),
    [
        (datetime(2026, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), "2026-12", date(2027, 1, 1)),
        (datetime(2027, 1, 1, tzinfo=UTC), "2027-01", date(2027, 2, 1)),
        (datetime(2028, 2, 29, 12, tzinfo=UTC), "2028-02", date(2028, 3, 1)),
        (datetime(2027, 2, 28, 23, 59, tzinfo=UTC), "2027-02", date(2027, 3, 1)),
        # 00:15 in Paris is still the previous month.
        (datetime(2026, 7, 1, 0, 15, tzinfo=timezone(timedelta(hours=2))), "2026-06",
         date(2026, 7, 1)),
    ],
)  # fmt: skip
def test_months(now: datetime, period: str, billing: date) -> None:
    assert period_of(now) == period
    assert next_billing_date(now) == billing


@given(AWARE)
def test_the_next_month_begins_when_this_one_ends(now: datetime) -> None:
    start = next_period_start(now)

    assert period_of(start) != period_of(now) == period_of(start - timedelta(microseconds=1))
    assert previous_period(period_of(start)) == period_of(now)
