"""The rates of a day, and the selected days."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.analytics.metrics import (
    Breakdown,
    DayCounts,
    Rates,
    day_before,
    days_of,
    midnight,
    rates,
)
from domain.core.ids import first_ulid
from tests.support.analytics.days import ulid_at

IDLE = DayCounts(
    events=0, runs=0, completed=0, needs_review=0, failed=0, no_playbook=0, escalated=0, reviewed=0,
    asked=0, handled=0, resolved=0, resolved_alone=0, reopened=None, durable=None, escalations={},
    messages_in=0, messages_out=0, customers=0, latency_p50_ms=None, latency_p95_ms=None,
    latencies={}, sentiment_mean=None, sentiment_count=0, rated=0, satisfied=0, rating_mean=None,
    cost_micros=0, breakdown=Breakdown(),
)  # fmt: skip


def test_nothing_has_no_rates() -> None:
    assert rates(IDLE) == Rates(None, None, None, None)
    assert rates(replace(IDLE, asked=4)) == Rates(0, 0, 0, None)


def test_rates_are_shares_of_what_asked_for_something() -> None:
    day = replace(IDLE, runs=10, completed=8, asked=8, resolved=6, resolved_alone=4)

    assert rates(replace(day, escalated=4, reviewed=1)) == Rates(
        resolution_rate=0.75, automation_rate=0.5, escalation_rate=0.5, review_rate=0.25
    )


@pytest.mark.parametrize(
    ("now", "day"),
    [
        (datetime(2026, 1, 1, 0, 10, tzinfo=UTC), date(2025, 12, 31)),
        (datetime(2024, 3, 1, 0, 10, tzinfo=UTC), date(2024, 2, 29)),
        (datetime(2026, 3, 29, 23, 59, 59, 999999, tzinfo=UTC), date(2026, 3, 28)),
        (datetime.fromisoformat("2026-06-02T01:00:00+02:00"), date(2026, 5, 31)),
    ],
)
def test_the_day_before_is_one_of_utc(now: datetime, day: date) -> None:
    assert day_before(now) == day


def test_days_are_both_ends_and_those_between() -> None:
    assert list(days_of(date(2024, 2, 28), date(2024, 3, 1))) == [
        date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)
    ]  # fmt: skip
    assert list(days_of(date(2024, 3, 1), date(2024, 2, 28))) == []


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(0, 86_399_999))
def test_ids_of_a_day_lie_between_its_first_and_the_next_ones(day: date, ms: int) -> None:
    drawn = ulid_at(midnight(day) + timedelta(milliseconds=ms))

    assert first_ulid(midnight(day)) <= drawn < first_ulid(midnight(day) + timedelta(days=1))
