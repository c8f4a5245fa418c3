"""A client's business hours and its target for the first answer, and durations in business time.

Without opening hours, a client is open around the clock, except on its holidays.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from domain.tenants.errors import InvalidSettings

DEFAULT_ZONE: Final = "Europe/Paris"
MAX_TIME_ZONE: Final = 60
"""Maximum length of the name of a time zone."""

MAX_INTERVALS: Final = 4
"""Maximum number of opening intervals in a day."""

MAX_HOLIDAYS: Final = 100
"""Maximum number of holidays."""

MAX_TARGET_MINUTES: Final = 10_080
"""Maximum target, in minutes of business time: one week around the clock."""

TARGET_WEEKS: Final = 4
"""Maximum target, in weeks of the client's opening hours."""

DAY_MINUTES: Final = 1_440
TIME_OF_DAY: Final = "^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$"
_DAY: Final = timedelta(days=1)
_MICROSECOND: Final = timedelta(microseconds=1)


class Weekday(StrEnum):
    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


_WEEKDAYS: Final = tuple(Weekday)
_ClockTime = Annotated[str, Field(pattern=TIME_OF_DAY)]


class OpeningInterval(BaseModel):
    """A part of a day in which the client is open, in the client's time zone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    opens: Annotated[_ClockTime, Field(description="Opening time, as in `09:00`.")]
    closes: Annotated[_ClockTime, Field(description="Closing time, as in `18:30`, up to `24:00`.")]

    def __str__(self) -> str:
        return f"{self.opens}-{self.closes}"


class BusinessHours(BaseModel):
    """A client's business hours and its target for the first answer. The field defaults apply to a
    client without stored business hours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    time_zone: Annotated[
        str, Field(description="IANA time zone of the opening hours and holidays.")
    ] = DEFAULT_ZONE
    week: Annotated[
        dict[Weekday, tuple[OpeningInterval, ...]],
        Field(
            description=(
                "Opening intervals by weekday, in order. A weekday without intervals is closed. "
                "If no weekday has intervals, the client is open around the clock."
            )
        ),
    ] = {}
    holidays: Annotated[
        tuple[date, ...],
        Field(description="Dates on which the client is closed all day, in order."),
    ] = ()
    target_minutes: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_TARGET_MINUTES,
            description=(
                "Target for the first answer to a customer's message, in minutes of business "
                "time. Null for no target."
            ),
        ),
    ] = None

    @property
    def target(self) -> timedelta | None:
        minutes = self.target_minutes
        return None if minutes is None else timedelta(minutes=minutes)


def check_business_hours(given: BusinessHours) -> BusinessHours:
    """Return the business hours in their stored form: sorted, and without closed weekdays and
    duplicate holidays. Raises InvalidSettings."""
    try:
        zone = ZoneInfo(given.time_zone).key
    except (KeyError, ValueError, OSError):
        raise InvalidSettings(
            "time_zone: an IANA time zone expected, as in Europe/Paris",
            "time_zone : fuseau horaire IANA attendu, comme Europe/Paris",
        ) from None
    week = {day: _checked_day(day, given.week[day]) for day in _WEEKDAYS if given.week.get(day)}
    holidays = tuple(sorted(set(given.holidays)))
    if len(holidays) > MAX_HOLIDAYS:
        raise InvalidSettings(
            f"holidays: at most {MAX_HOLIDAYS} dates", f"holidays : {MAX_HOLIDAYS} dates au plus"
        )
    target = given.target_minutes
    week_minutes = sum(_length(one) for day in week.values() for one in day) or 7 * DAY_MINUTES
    if target is not None and target > min(MAX_TARGET_MINUTES, TARGET_WEEKS * week_minutes):
        raise InvalidSettings(
            f"target_minutes: at most {MAX_TARGET_MINUTES}, and at most {TARGET_WEEKS} weeks of "
            "opening hours",
            f"target_minutes : {MAX_TARGET_MINUTES} au plus, et {TARGET_WEEKS} semaines "
            "d'ouverture au plus",
        )
    return BusinessHours(time_zone=zone, week=week, holidays=holidays, target_minutes=target)


def _checked_day(day: Weekday, given: Iterable[OpeningInterval]) -> tuple[OpeningInterval, ...]:
    intervals = tuple(sorted(given, key=lambda one: one.opens))
    ends = 0
    for one in intervals:
        if minutes_of(one.opens) < ends or _length(one) <= 0:
            raise InvalidSettings(
                f"week.{day}: each interval opens before it closes, and none overlap",
                f"week.{day} : chaque plage ouvre avant de fermer, sans chevauchement",
            )
        ends = minutes_of(one.closes)
    if len(intervals) > MAX_INTERVALS:
        raise InvalidSettings(
            f"week.{day}: at most {MAX_INTERVALS} intervals",
            f"week.{day} : {MAX_INTERVALS} plages au plus",
        )
    return intervals


def minutes_of(clock: str) -> int:
    """Return the minutes from midnight to a time of day, up to 1440 for `24:00`."""
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _length(interval: OpeningInterval) -> int:
    return minutes_of(interval.closes) - minutes_of(interval.opens)


_WRITTEN: Final = re.compile(
    r"([0-9]{1,2})[:hH]([0-9]{2})?\s*[-\u2013]\s*([0-9]{1,2})[:hH]([0-9]{2})?"
)


def parse_day(text: str) -> tuple[OpeningInterval, ...]:
    """Parse the intervals of a day, such as `09:00-12:30, 14:00-18:00` or `9h-12h30`. Empty text
    means closed. Raises InvalidSettings."""
    found = []
    for part in filter(None, (one.strip() for one in re.split(r"[,;\n]", text))):
        times = _WRITTEN.fullmatch(part)
        opens, closes = _clock_times(times) if times else ("", "")
        if not re.fullmatch(TIME_OF_DAY, opens) or not re.fullmatch(TIME_OF_DAY, closes):
            raise InvalidSettings(
                f"opening hours as in 09:00-12:30 expected: {part[:40]}",
                f"horaires attendus comme 09:00-12:30 : {part[:40]}",
            )
        found.append(OpeningInterval(opens=opens, closes=closes))
    return tuple(found)


def _clock_times(times: re.Match[str]) -> tuple[str, str]:
    first, first_minutes, last, last_minutes = times.groups(default="00")
    return f"{first.zfill(2)}:{first_minutes}", f"{last.zfill(2)}:{last_minutes}"


def parse_holidays(lines: Iterable[str]) -> tuple[date, ...]:
    """Parse dates such as `2026-12-25`, one per line. Blank lines are ignored. Raises
    InvalidSettings."""
    found = []
    for line in filter(None, (one.strip() for one in lines)):
        try:
            found.append(date.fromisoformat(line))
        except ValueError:
            raise InvalidSettings(
                f"holidays: dates as in 2026-12-25 expected: {line[:40]}",
                f"holidays : dates attendues comme 2026-12-25 : {line[:40]}",
            ) from None
    return tuple(found)


def written_day(intervals: Iterable[OpeningInterval]) -> str:
    """Return the intervals of a day in the form that `parse_day` reads."""
    return ", ".join(map(str, intervals))


Opening = tuple[datetime, datetime]
"""The UTC instants at which the client opens and closes."""


def openings(hours: BusinessHours, first: datetime, last: datetime) -> Iterator[Opening]:
    """Yield the openings between two instants: disjoint, in order, and cut off at the two
    instants."""
    if not hours.week and not hours.holidays:
        if first < last:
            yield first.astimezone(UTC), last.astimezone(UTC)
        return
    latest = first.astimezone(UTC)
    for opens, closes in _all_openings(hours, first):
        if opens >= last:
            return
        begins, ends = max(opens, latest), min(closes, last)
        if begins < ends:
            yield begins, ends
            latest = ends


def _all_openings(hours: BusinessHours, first: datetime) -> Iterator[Opening]:
    """Yield the openings, starting on the day of `first`, without end. When clocks are set back,
    the repeated hour can make two openings overlap."""
    zone, holidays = ZoneInfo(hours.time_zone), set(hours.holidays)
    # The local date can differ from the UTC date by a day.
    day = first.astimezone(zone).date() - _DAY
    while True:
        if day not in holidays:
            midnight = datetime.combine(day, time(), tzinfo=UTC)
            offset = _offset_of(day, zone)
            for opens, closes in _minutes_open(hours.week, day):
                if offset is None:
                    yield instant_of(day, opens, zone), instant_of(day, closes, zone, ends=True)
                else:
                    start = midnight - offset
                    yield start + timedelta(minutes=opens), start + timedelta(minutes=closes)
        day += _DAY


def _offset_of(day: date, zone: ZoneInfo) -> timedelta | None:
    """Return the zone's UTC offset, or None if clocks change between the day before and the day
    after. Zones do not change clocks twice in three days."""
    offsets = {
        datetime.combine(day + shift, time(), tzinfo=zone).replace(fold=fold).utcoffset()
        for shift, fold in ((-_DAY, 0), (2 * _DAY, 1))
    }
    return offsets.pop() if len(offsets) == 1 else None


def _minutes_open(
    week: Mapping[Weekday, tuple[OpeningInterval, ...]], day: date
) -> Iterator[tuple[int, int]]:
    if not week:
        yield 0, DAY_MINUTES
    for one in week.get(_WEEKDAYS[day.weekday()], ()):
        yield minutes_of(one.opens), minutes_of(one.closes)


def instant_of(day: date, minutes: int, zone: ZoneInfo, *, ends: bool = False) -> datetime:
    """Return the instant at which the clock in the zone shows a time of day.

    For a repeated time, an opening starts at the first instant and ends at the second. A skipped
    time is the instant of the change.
    """
    wall = datetime.combine(day, datetime.min.time()) + timedelta(minutes=minutes)
    one, other = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    early, late = min(one, other), max(one, other)
    if early == late:
        return early
    if early.astimezone(zone).replace(tzinfo=None) == wall:
        return late if ends else early
    before = early.astimezone(zone).utcoffset()
    while late - early > timedelta(seconds=1):
        middle = (early + (late - early) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == before:
            early = middle
        else:
            late = middle
    return late


def business_time(hours: BusinessHours, first: datetime, last: datetime) -> timedelta:
    """Return the business time between two instants. The result is zero if `last` is not after
    `first`."""
    return sum((closes - opens for opens, closes in openings(hours, first, last)), timedelta())


def due_at(hours: BusinessHours, since: datetime, within: timedelta) -> datetime:
    """Return the first instant at which the business time since `since` equals `within`."""
    left, latest = within, since.astimezone(UTC)
    if not hours.week and not hours.holidays:
        return latest + left
    for opens, closes in _all_openings(hours, since):
        begins = max(opens, latest)
        if closes <= begins:
            continue
        if closes - begins >= left:
            return begins + left
        left -= closes - begins
        latest = closes
    raise AssertionError("the openings do not end")


@dataclass(frozen=True, slots=True)
class BusinessCalendar:
    """The openings between two instants, for measuring business time in a query.

    The first opening is empty and starts at the first instant, so that every instant follows an
    element of `opens`. `before` is the business time up to each opening, and `target` the target
    for the first answer, both in microseconds.
    """

    opens: tuple[datetime, ...]
    closes: tuple[datetime, ...]
    before: tuple[int, ...]
    target: int | None


def calendar_of(hours: BusinessHours, first: datetime, last: datetime) -> BusinessCalendar:
    """Return the calendar between two instants."""
    found = [(first, first), *openings(hours, first, last)]
    before, so_far = [], 0
    for opens, closes in found:
        before.append(so_far)
        so_far += (closes - opens) // _MICROSECOND
    target = hours.target
    return BusinessCalendar(
        opens=tuple(opens for opens, _ in found),
        closes=tuple(closes for _, closes in found),
        before=tuple(before),
        target=None if target is None else target // _MICROSECOND,
    )
