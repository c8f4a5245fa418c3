"""The day on which the quota ends, verified by counting every ticket."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from domain.billing.forecast import Forecast, forecast
from domain.billing.quota import UNLIMITED, QuotaStanding
from domain.core.period import next_period_start, period_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MOMENTS = st.integers(0, 20 * 365 * 86_400).map(
    lambda seconds: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
DAILY = st.lists(st.integers(0, 400), min_size=1, max_size=7)


def standing(used: int, limit: int, bought: int = 0, now: datetime = NOON) -> QuotaStanding:
    return QuotaStanding(period_of(now), used, limit, bought)


def test_it_goes_on_as_it_did() -> None:
    week = [10, 20, 10, 10, 10, 5, 5]  # ten a day

    assert forecast(standing(975, 1000, 30), week, NOON) == Forecast(
        10.0, date(2026, 11, 24), date(2026, 11, 27)
    )
    assert forecast(standing(0, 1000), week, NOON) == Forecast(10.0, None, None)
    assert forecast(standing(1000, 1000, 5), week, NOON) == Forecast(
        10.0, date(2026, 11, 21), date(2026, 11, 22)
    )
    assert forecast(standing(10, 1000), [0] * 7, NOON) == Forecast(0.0, None, None)


def test_where_there_is_none() -> None:
    assert forecast(standing(5, UNLIMITED), [9] * 7, NOON) is None
    assert forecast(standing(5, 50), [], NOON) is None


@given(MOMENTS, DAILY, st.integers(0, 6000), st.integers(1, 5000), st.integers(0, 500))
def test_against_a_count(
    now: datetime, daily: list[int], used: int, limit: int, bought: int
) -> None:
    """Tickets at an even pace: the day of the ticket that uses up the remaining quota."""
    found = forecast(standing(used, limit, bought, now), daily, now)

    assert found is not None
    for left, day in (
        (max(0, limit - used), found.quota_ends_on),
        (max(0, limit - used) + bought, found.credits_end_on),
    ):
        assert day == _counted(left, daily, now)
        if day is not None:
            assert now.date() <= day < next_period_start(now).date()
    if found.credits_end_on is not None:
        assert found.quota_ends_on is not None
        assert found.quota_ends_on <= found.credits_end_on


def _counted(left: int, daily: list[int], now: datetime) -> date | None:
    if left == 0:
        return now.date()
    if not sum(daily):
        return None
    at = now + timedelta(seconds=left * len(daily) * 86_400 // sum(daily))
    return at.date() if at < next_period_start(now) else None


@given(DAILY, st.integers(0, 900), st.integers(0, 99))
def test_more_left_lasts_longer(daily: list[int], used: int, more: int) -> None:
    sooner = forecast(standing(used + more, 1000), daily, NOON)
    later = forecast(standing(used, 1000), daily, NOON)

    assert sooner is not None
    assert later is not None
    assert (sooner.quota_ends_on or date.max) <= (later.quota_ends_on or date.max)
