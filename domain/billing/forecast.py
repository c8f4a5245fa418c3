"""The forecast: the day, if any, on which a client's tickets will be used up this month."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from domain.billing.quota import UNLIMITED, QuotaStanding
from domain.core.period import next_period_start

LOOKED_BACK: Final = timedelta(days=7)
"""Period from which the daily mean of tickets is computed. The period is a whole week, so that
quiet weekends are included."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast of a client's usage. `tickets_per_day` is the mean over the previous days.
    `quota_ends_on` and `credits_end_on` are UTC days, or None if they last beyond this month."""

    tickets_per_day: float
    quota_ends_on: date | None
    credits_end_on: date | None


def forecast(standing: QuotaStanding, daily: Sequence[int], now: datetime) -> Forecast | None:
    """Return the days on which a client will have used up its tickets, and then its credits.

    `daily` contains the tickets of the last seven whole days, or fewer for a new client. The mean
    is extrapolated. A used-up quota ends today. Return None for an unlimited plan, or before the
    first whole day.
    """
    if standing.tickets_limit == UNLIMITED or not daily:
        return None
    left = max(0, standing.tickets_limit - standing.tickets_used)
    tickets, days = sum(daily), len(daily)
    return Forecast(
        tickets_per_day=round(tickets / days, 1),
        quota_ends_on=_day_after(left, tickets, days, now),
        credits_end_on=_day_after(left + standing.credits_balance, tickets, days, now),
    )


def _day_after(left: int, tickets: int, days: int, now: datetime) -> date | None:
    """Return the UTC day on which `left` tickets are used up, or None if that day is not in this
    month. The client uses `tickets` tickets in `days` days."""
    end = next_period_start(now)
    here = now.astimezone(end.tzinfo)
    if left == 0:
        return here.date()
    # Compare whole numbers first because a day too far in the future cannot be represented as a
    # date.
    seconds_left = (end - here) // timedelta(seconds=1)
    if left * days * 86_400 >= seconds_left * tickets:
        return None
    return (here + timedelta(seconds=left * days * 86_400 // tickets)).date()
