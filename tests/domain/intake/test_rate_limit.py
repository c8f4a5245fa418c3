"""The sliding window."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.intake.rate_limit import Limit, LimitScope, attempt, judged, limits, live

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
LIMIT = Limit(LimitScope.EXPORT, 3)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("scope", "quota"),
    [
        (LimitScope.USAGE, 60),
        (LimitScope.EXPORT, 5),
        (LimitScope.SIGNUP, 5),
        (LimitScope.VERIFICATION, 5),
        (LimitScope.COPILOT, 30),
        (LimitScope.SIMULATOR, 20),
        (LimitScope.DRY_RUN, 7),
        (LimitScope.DASHBOARD, 120),
    ],
)
def test_limits_of_the_specification(scope: LimitScope, quota: int) -> None:
    assert limits(dry_runs=7)[scope] == Limit(scope, quota, timedelta(seconds=60))


def test_every_scope_has_its_limit() -> None:
    assert limits(dry_runs=60).keys() == set(LimitScope)


def test_places_are_taken_one_by_one() -> None:
    hits: list[datetime] = []
    remaining = []
    for second in range(3):
        hits, tried = attempt(LIMIT, hits, at(second))
        assert tried.admitted
        remaining.append(tried.remaining)

    assert remaining == [2, 1, 0]
    assert hits == [at(0), at(1), at(2)]


def test_refused_request_is_not_counted() -> None:
    hits = [at(0), at(1), at(2)]

    after, tried = attempt(LIMIT, hits, at(20.5))

    assert after == hits
    assert (tried.admitted, tried.remaining, tried.wait_s) == (False, 0, 39.5)


@pytest.mark.parametrize(("second", "admitted"), [(59.999999, False), (60.0, True)])
def test_hit_lapses_when_it_is_as_old_as_the_window(second: float, admitted: bool) -> None:
    _, tried = attempt(LIMIT, [at(0), at(30), at(40)], at(second))

    assert tried.admitted is admitted


def test_hit_of_a_clock_that_is_ahead_counts() -> None:
    _, tried = attempt(LIMIT, [at(30), at(10), at(20)], at(0))

    assert (tried.admitted, tried.wait_s) == (False, 70)


def test_lowered_limit_waits_for_all_that_are_too_many() -> None:
    hits = live(LIMIT, [at(second) for second in range(5)], at(10))

    # Hits 0, 1 and 2 must leave the window before fewer than three remain.
    assert judged(LIMIT, hits, at(10), admitted=False).wait_s == 52


@given(
    seconds=st.lists(st.integers(0, 150), max_size=40).map(sorted),
    quota=st.integers(1, 6),
)
def test_no_window_holds_more_than_the_quota(seconds: list[int], quota: int) -> None:
    limit = Limit(LimitScope.USAGE, quota)
    hits: list[datetime] = []
    passed: list[int] = []
    for second in seconds:
        hits, tried = attempt(limit, hits, at(second))
        recent = [earlier for earlier in passed if earlier > second - 60]
        assert tried.admitted == (len(recent) < quota)
        if tried.admitted:
            passed.append(second)
        else:
            # Exactly at the stated time, and not earlier.
            _, early = attempt(limit, hits, at(second + tried.wait_s - 0.001))
            _, in_time = attempt(limit, hits, at(second + tried.wait_s))
            assert (early.admitted, in_time.admitted) == (False, True)
