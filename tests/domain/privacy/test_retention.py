from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.errors import InvalidInput
from domain.privacy.retention import (
    DEFAULT_DAYS,
    MAX_DAYS,
    MIN_DAYS,
    RecordClass,
    check_retention,
    days_kept,
    kept_from,
    may_be_incomplete,
)

NOW = datetime(2026, 11, 21, 2, 10, tzinfo=UTC)
CLASSES = st.sampled_from(RecordClass)
ANYTHING = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text())
OVERRIDES = st.dictionaries(st.one_of(CLASSES.map(str), st.text()), ANYTHING, max_size=6)


@given(CLASSES, OVERRIDES)
def test_nothing_is_removed_sooner_than_the_least(
    record_class: RecordClass, overrides: dict[str, object]
) -> None:
    days = days_kept(record_class, overrides)

    assert days is None or MIN_DAYS[record_class] <= days <= MAX_DAYS
    since = kept_from(record_class, overrides, NOW)
    assert (since is None) == (days is None)
    assert since is None or since <= NOW - timedelta(days=MIN_DAYS[record_class])


@given(OVERRIDES)
def test_what_is_accepted_is_what_counts(overrides: dict[str, object]) -> None:
    try:
        accepted = check_retention(overrides)
    except InvalidInput:
        return
    assert accepted == overrides
    for record_class in RecordClass:
        expected = accepted.get(record_class.value, DEFAULT_DAYS[record_class])
        assert days_kept(record_class, accepted) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"runs": 730},
        {"conversations": 89},
        {"conversations": MAX_DAYS + 1},
        {"churn": True},
        {"metrics": 365.0},
        {"automation_events": "730"},
    ],
)
def test_what_is_no_rule_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="retention"):
        check_retention(wrong)


def test_null_keeps_for_ever() -> None:
    assert check_retention({"conversations": None}) == {"conversations": None}
    assert kept_from(RecordClass.CONVERSATIONS, {"conversations": None}, NOW) is None


def test_defaults_keep_at_least_the_least() -> None:
    assert all(MIN_DAYS[one] <= DEFAULT_DAYS[one] <= MAX_DAYS for one in RecordClass)


def test_a_day_that_is_partly_removed_is_incomplete() -> None:
    since = kept_from(RecordClass.CONVERSATIONS, {}, NOW)
    assert since is not None

    assert may_be_incomplete(since.date(), {}, NOW)
    assert not may_be_incomplete(since.date() + timedelta(days=1), {}, NOW)
    assert not may_be_incomplete(since.date(), {"conversations": None}, NOW)
