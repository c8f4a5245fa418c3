"""How long a customer has waited, compared with the target."""

from datetime import UTC, datetime, timedelta

from domain.reviews.waiting import waiting_since
from domain.tenants.business_hours import BusinessHours, Weekday, parse_day

# 30 November 2026 is a Monday.
HOURS = BusinessHours(
    time_zone="UTC",
    week={day: parse_day("09:00-17:00") for day in list(Weekday)[:5]},
    target_minutes=180,
)
MONDAY = datetime(2026, 11, 30, 10, tzinfo=UTC)


def test_before_the_target() -> None:
    found = waiting_since(MONDAY, HOURS, MONDAY + timedelta(hours=2))
    assert found is not None
    assert (found.waited, found.left) == (timedelta(hours=2), timedelta(hours=1))
    assert found.due == MONDAY + timedelta(hours=3)
    assert not found.is_overdue


def test_exactly_at_the_target_is_not_late() -> None:
    found = waiting_since(MONDAY, HOURS, MONDAY + timedelta(hours=3))
    assert found is not None
    assert (found.left, found.overdue, found.is_overdue) == (timedelta(), timedelta(), False)


def test_after_the_target() -> None:
    found = waiting_since(MONDAY, HOURS, MONDAY + timedelta(hours=3, minutes=20))
    assert found is not None
    assert (found.overdue, found.left, found.is_overdue) == (
        timedelta(minutes=20),
        timedelta(),
        True,
    )


def test_the_night_does_not_count() -> None:
    evening = MONDAY.replace(hour=16)
    found = waiting_since(evening, HOURS, MONDAY + timedelta(hours=23))
    assert found is not None
    assert (found.waited, found.left) == (timedelta(hours=1), timedelta(hours=2))
    assert found.due == MONDAY + timedelta(days=1, hours=1)


def test_without_a_target_or_a_waiting_message_there_is_no_waiting() -> None:
    without = HOURS.model_copy(update={"target_minutes": None})
    assert waiting_since(MONDAY, without, MONDAY) is None
    assert waiting_since(None, HOURS, MONDAY) is None
