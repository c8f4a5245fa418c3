"""A period: a calendar month in UTC, the unit for all counters and bills."""

from datetime import UTC, date, datetime
from typing import NewType

Period = NewType("Period", str)
"""A calendar month in UTC, as `YYYY-MM`. A ticket counts toward the month of its admission, even if
its processing ends later."""


def period_of(now: datetime) -> Period:
    """Return the UTC month that contains an aware time."""
    return Period(f"{now.astimezone(UTC):%Y-%m}")


def day_of(now: datetime) -> date:
    """Return the UTC day that contains an aware time."""
    return now.astimezone(UTC).date()


def period_start(period: Period) -> datetime:
    """Return midnight UTC of the period's first day."""
    return datetime(int(period[:4]), int(period[5:]), 1, tzinfo=UTC)


def next_period_start(now: datetime) -> datetime:
    """Return midnight UTC of the first day of the month after `now`."""
    here = now.astimezone(UTC)
    year, month = (here.year + 1, 1) if here.month == 12 else (here.year, here.month + 1)
    return datetime(year, month, 1, tzinfo=UTC)


def next_billing_date(now: datetime) -> date:
    """Return the first day of the month after `now`, in UTC."""
    return next_period_start(now).date()


def previous_period(period: Period) -> Period:
    """Return the period before `period`."""
    year, month = int(period[:4]), int(period[5:])
    return Period(f"{year - 1:04}-12" if month == 1 else f"{year:04}-{month - 1:02}")
