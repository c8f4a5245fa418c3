"""The period: a calendar month in UTC, the unit of all counters and bills."""

from datetime import UTC, date, datetime
from typing import NewType

Period = NewType("Period", str)
"""`YYYY-MM`. Determined when a ticket is admitted, regardless of when its processing ends."""


def period_of(now: datetime) -> Period:
    """Return the month of an aware time."""
    return Period(f"{now.astimezone(UTC):%Y-%m}")


def day_of(now: datetime) -> date:
    """Return the UTC day of an aware time."""
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
    """Return the first day of the next month."""
    return next_period_start(now).date()


def previous_period(period: Period) -> Period:
    """Return the previous month."""
    year, month = int(period[:4]), int(period[5:])
    return Period(f"{year - 1:04}-12" if month == 1 else f"{year:04}-{month - 1:02}")
