"""Home: the member's visits, and the agent's work since the previous visit."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from domain.core.money import Money

PAUSE: Final = timedelta(minutes=30)
"""A visit ends when the member has not opened Home for this long."""

STEP: Final = timedelta(minutes=5)
"""Minimum interval between updates of a visit's time, so that most views of Home write nothing."""

LONGEST: Final = timedelta(days=30)
"""Maximum period covered by a report on a member's absence."""


@dataclass(frozen=True, slots=True)
class MemberVisit:
    """A member's current visit to Home. `seen_at` is the latest view. `away_since` is the end of
    the previous visit, or None on the first."""

    seen_at: datetime
    away_since: datetime | None = None

    def reported_since(self, now: datetime) -> datetime | None:
        """Return the start of the period to report, at most `LONGEST` before `now`. Return None
        during a member's first visit."""
        return None if self.away_since is None else max(self.away_since, now - LONGEST)


def next_visit(last: MemberVisit | None, now: datetime) -> MemberVisit:
    """Return the visit after a view of Home at `now`. A new visit starts after a `PAUSE`. Within
    `STEP`, return `last` unchanged."""
    if last is None:
        return MemberVisit(now)
    apart = now - last.seen_at
    if apart > PAUSE:
        return MemberVisit(now, last.seen_at)
    return last if apart < STEP else replace(last, seen_at=now)


@dataclass(frozen=True, slots=True)
class AwayReport:
    """The agent's work on the tickets that arrived since `since`. `answered` and `escalated` count
    tickets without and with the team. `refunded` is by currency. If `is_partial` is true, all
    values are lower bounds."""

    since: datetime
    answered: int
    escalated: int
    failed: int
    refunds: int
    refunded: tuple[Money, ...]
    is_partial: bool

    @property
    def is_quiet(self) -> bool:
        return not (self.answered or self.escalated or self.failed or self.refunds)
