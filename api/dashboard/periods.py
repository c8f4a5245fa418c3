"""Ranges of days that a page offers as links, so that members need not type dates."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

_LENGTHS: Final = (7, 30, 90)


@dataclass(frozen=True, slots=True)
class RecentPeriod:
    """A range of UTC days. `first` and `last`: the dates as in a query."""

    days: int
    first: str
    last: str


def recent_periods(now: datetime, *, with_today: bool = True) -> tuple[RecentPeriod, ...]:
    """Return the latest ranges of days, shortest first. Metrics exist only for complete days, so
    their ranges end yesterday: `with_today` is then False."""
    last = now.date() if with_today else now.date() - timedelta(days=1)
    return tuple(
        RecentPeriod(days, (last - timedelta(days=days - 1)).isoformat(), last.isoformat())
        for days in _LENGTHS
    )
