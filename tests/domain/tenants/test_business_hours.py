"""Business time: opening hours, holidays, and changes of the clock."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.tenants import business_hours
from domain.tenants.business_hours import (
    MAX_HOLIDAYS,
    BusinessHours,
    OpeningInterval,
    Weekday,
    business_time,
    calendar_of,
    check_business_hours,
    due_at,
    openings,
    parse_day,
    parse_holidays,
    written_day,
)
from domain.tenants.errors import InvalidSettings

PARIS = ZoneInfo("Europe/Paris")
WORKDAYS = tuple(Weekday)[:5]
OFFICE = BusinessHours(
    time_zone="Europe/Paris",
    week={day: parse_day("09:00-12:00, 14:00-18:00") for day in WORKDAYS},
    holidays=(date(2026, 12, 25),),
    target_minutes=120,
)
ALWAYS = BusinessHours(target_minutes=120)
ZONES = ("UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu")


def at(text: str, zone: ZoneInfo = PARIS) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


@st.composite
def any_hours(draw: st.DrawFn) -> BusinessHours:
    week: dict[Weekday, tuple[OpeningInterval, ...]] = {}
    for day in draw(st.sets(st.sampled_from(list(Weekday)))):
        marks = sorted(draw(st.sets(st.integers(0, 96), min_size=2, max_size=6)))
        pairs = list(zip(marks[::2], marks[1::2], strict=False))
        week[day] = tuple(
            OpeningInterval(opens=_clock(opens * 15), closes=_clock(closes * 15))
            for opens, closes in pairs
        )
    days = st.dates(date(2026, 3, 20), date(2026, 4, 10))
    return check_business_hours(
        BusinessHours(
            time_zone=draw(st.sampled_from(ZONES)),
            week=week,
            holidays=tuple(draw(st.lists(days, max_size=5))),
        )
    )


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


# The clocks of each zone change within or around this range.
MOMENTS = st.datetimes(datetime(2026, 3, 25), datetime(2026, 4, 8), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2026-11-30T10:00", "2026-11-30T11:30", 1.5),
        ("2026-11-30T11:00", "2026-11-30T15:00", 2),
        ("2026-11-27T17:00", "2026-11-30T10:00", 2),
        ("2026-11-28T10:00", "2026-11-29T20:00", 0),
        ("2026-12-24T17:00", "2026-12-28T10:00", 2),
        ("2026-11-30T11:00", "2026-11-30T10:00", 0),
        ("2026-11-30T00:00", "2026-12-07T00:00", 35),
    ],
)
def test_time_counts_only_while_the_client_is_open(first: str, last: str, expected: float) -> None:
    assert business_time(OFFICE, at(first), at(last)) == hours(expected)


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2026-11-30T09:30", "2026-11-30T11:30"),
        ("2026-11-30T11:30", "2026-11-30T15:30"),
        ("2026-11-30T10:00", "2026-11-30T12:00"),
        ("2026-11-27T17:30", "2026-11-30T10:30"),
        ("2026-11-29T03:00", "2026-11-30T11:00"),
        ("2026-12-24T17:30", "2026-12-28T10:30"),
    ],
)
def test_the_target_is_due_after_as_much_business_time(since: str, expected: str) -> None:
    assert due_at(OFFICE, at(since), hours(2)) == at(expected)


def test_a_client_without_hours_counts_around_the_clock() -> None:
    saturday = at("2026-11-28T23:00")
    assert business_time(ALWAYS, saturday, saturday + hours(30)) == hours(30)
    assert due_at(ALWAYS, saturday, hours(2)) == saturday + hours(2)


def test_holidays_close_a_client_without_weekly_hours() -> None:
    found = BusinessHours(holidays=(date(2026, 12, 25),))
    eve, after = at("2026-12-24T23:00"), at("2026-12-26T01:00")
    assert business_time(found, eve, after) == hours(2)
    assert due_at(found, eve, hours(2)) == after


@pytest.mark.parametrize(
    ("day", "opened", "expected"),
    [
        # The clocks skip 02:00 to 03:00 on 29 March and repeat it on 25 October.
        ("2026-03-29", "00:00-24:00", 23),
        ("2026-10-25", "00:00-24:00", 25),
        ("2026-03-29", "01:00-04:00", 2),
        ("2026-03-29", "02:15-02:45", 0),
        ("2026-03-29", "02:30-04:00", 1),
        ("2026-03-29", "01:00-02:30", 1),
        ("2026-10-25", "01:00-04:00", 4),
        ("2026-10-25", "01:00-02:30, 02:30-04:00", 4),
    ],
)
def test_a_change_of_the_clock_shortens_or_lengthens_the_day(
    day: str, opened: str, expected: float
) -> None:
    found = BusinessHours(time_zone="Europe/Paris", week={Weekday.SUNDAY: parse_day(opened)})
    begins = datetime.combine(date.fromisoformat(day), time(), PARIS)
    assert business_time(found, begins, begins + timedelta(days=1)) == hours(expected)


@given(any_hours(), MOMENTS, MOMENTS, MOMENTS)
def test_business_time_adds_up(
    found: BusinessHours, one: datetime, two: datetime, three: datetime
) -> None:
    first, middle, last = sorted((one, two, three))
    whole = business_time(found, first, last)
    assert timedelta() <= whole <= last - first
    assert whole == business_time(found, first, middle) + business_time(found, middle, last)


@given(any_hours(), MOMENTS, st.integers(1, 3_000))
def test_a_target_is_due_when_its_business_time_has_passed(
    found: BusinessHours, since: datetime, minutes: int
) -> None:
    within = timedelta(minutes=minutes)
    due = due_at(found, since, within)
    assert business_time(found, since, due) == within
    before = due - timedelta(microseconds=1)
    assert business_time(found, since, before) < within


@given(any_hours(), MOMENTS, MOMENTS)
def test_openings_are_disjoint_and_in_local_opening_hours(
    found: BusinessHours, one: datetime, two: datetime
) -> None:
    first, last = min(one, two), max(one, two)
    latest = first
    for opens, closes in openings(found, first, last):
        assert latest <= opens < closes <= last
        latest = closes
        local = (opens + (closes - opens) / 2).astimezone(ZoneInfo(found.time_zone))
        assert local.date() not in found.holidays
        weekday = tuple(Weekday)[local.weekday()]
        clock = f"{local:%H:%M}"
        assert (
            not found.week
            or any(one.opens <= clock < one.closes for one in found.week.get(weekday, ()))
            or local.dst() != (local - timedelta(hours=1)).dst()
        )


@settings(max_examples=50)
@given(any_hours(), MOMENTS, MOMENTS)
def test_a_calendar_sums_the_openings(found: BusinessHours, one: datetime, two: datetime) -> None:
    first, last = min(one, two), max(one, two)
    calendar = calendar_of(found, first, last)
    assert (calendar.opens[0], calendar.closes[0], calendar.before[0]) == (first, first, 0)
    assert list(calendar.opens) == sorted(calendar.opens)
    spent = calendar.before[-1] * timedelta(microseconds=1)
    assert spent + calendar.closes[-1] - calendar.opens[-1] == business_time(found, first, last)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("09:00-12:30, 14:00-18:00", "09:00-12:30, 14:00-18:00"),
        ("9h-12h30 ; 14h – 18h", "09:00-12:30, 14:00-18:00"),
        ("00:00-24:00", "00:00-24:00"),
        ("", ""),
    ],
)
def test_a_day_is_read_as_written(written: str, stored: str) -> None:
    assert written_day(parse_day(written)) == stored


@pytest.mark.parametrize("written", ["9-18", "09:00", "25:00-26:00", "09:60-10:00", "24:30-24:45"])
def test_other_words_are_not_hours(written: str) -> None:
    with pytest.raises(InvalidSettings):
        parse_day(written)


def test_holidays_are_one_per_line() -> None:
    assert parse_holidays(["2026-12-25 ", "", "2027-01-01"]) == (
        date(2026, 12, 25),
        date(2027, 1, 1),
    )
    with pytest.raises(InvalidSettings):
        parse_holidays(["25/12/2026"])


@pytest.mark.parametrize(
    "change",
    [
        {"time_zone": "Mars/Base"},
        {"time_zone": ""},
        {"week": {"monday": parse_day("12:00-09:00")}},
        {"week": {"monday": parse_day("09:00-09:00")}},
        {"week": {"monday": parse_day("09:00-12:00, 11:00-14:00")}},
        {"week": {"monday": parse_day("1h-2h, 3h-4h, 5h-6h, 7h-8h, 9h-10h")}},
        {"holidays": tuple(date(2026, 1, 1) + timedelta(days=n) for n in range(MAX_HOLIDAYS + 1))},
        # One hour a week: the target would not be reached in four weeks.
        {"week": {"monday": parse_day("09:00-10:00")}, "target_minutes": 241},
    ],
)
def test_invalid_hours_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(InvalidSettings):
        check_business_hours(BusinessHours.model_validate(change))


def test_the_stored_form_is_sorted() -> None:
    found = check_business_hours(
        BusinessHours(
            week={
                Weekday.FRIDAY: parse_day("14:00-18:00, 09:00-12:00"),
                Weekday.MONDAY: parse_day("09:00-10:00"),
                Weekday.SUNDAY: (),
            },
            holidays=(date(2027, 1, 1), date(2026, 12, 25), date(2027, 1, 1)),
            target_minutes=240,
        )
    )
    assert list(found.week) == [Weekday.MONDAY, Weekday.FRIDAY]
    assert written_day(found.week[Weekday.FRIDAY]) == "09:00-12:00, 14:00-18:00"
    assert found.holidays == (date(2026, 12, 25), date(2027, 1, 1))
    assert check_business_hours(found) == found


@pytest.mark.parametrize(
    "zone",
    ["Europe/Paris", "America/Santiago", "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Gaza"],
)
def test_days_without_a_change_of_clocks_are_computed_alike(
    zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The calendar of two years has the same openings if each instant is searched for."""
    week = {day: parse_day("00:00-02:30, 23:00-24:00") for day in Weekday}
    found = BusinessHours(time_zone=zone, week=week, target_minutes=1)
    first, last = at("2015-12-01T00:00"), at("2018-01-01T00:00")
    fast = calendar_of(found, first, last)
    monkeypatch.setattr(business_hours, "_offset_of", lambda *_: None)
    assert calendar_of(found, first, last) == fast
