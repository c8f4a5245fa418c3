"""Daily metrics: what each number of a client's day counts, and the rates made of them.

A day is one of UTC, and belongs to whatever was received (events, runs) or written (messages,
moods) in it. The words for people: `docs/metrics.md`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

REFRESHED: Final = 5
"""Each night computes so many days, the one before and those before it: a review may be decided for
72 hours and its last round a little later, and what it changes belongs to the day of its run."""

MAX_DAYS_AT_ONCE: Final = 3_660
"""The days that may be computed again by one command: ten years."""


@dataclass(frozen=True, slots=True)
class DayCounts:
    """What SQL finds of a day. Of runs by `received_at`: `completed`, `needs_review` and `failed`
    as they stand now; `escalated`: those that a human was ever asked about; `reviewed`: those of
    them that a human has decided; `automated`: completed, and nobody was asked; `silent`: those
    of them that there was nothing to answer to, such as automatic mails. `no_playbook`: events
    without a run. `customers`: the different ones who wrote. `latency_*`: milliseconds from
    a request's arrival to its first outcome."""

    events: int
    runs: int
    completed: int
    needs_review: int
    failed: int
    no_playbook: int
    escalated: int
    reviewed: int
    automated: int
    silent: int
    messages_in: int
    messages_out: int
    customers: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    sentiment_mean: float | None
    sentiment_count: int


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares from 0 to 1; None where there is nothing to have a share of."""

    resolution_rate: float | None
    automation_rate: float | None
    escalation_rate: float | None
    review_rate: float | None


def rates(counts: DayCounts) -> Rates:
    """Of the runs that there was something to answer to those that were completed, that were so
    without a human, and that a human was asked about; of the last those that a human has decided.
    Answering nothing counts as nothing."""
    asking = counts.runs - counts.silent
    return Rates(
        resolution_rate=_share(counts.completed - counts.silent, asking),
        automation_rate=_share(counts.automated - counts.silent, asking),
        escalation_rate=_share(counts.escalated, asking),
        review_rate=_share(counts.reviewed, counts.escalated),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


_Count = Annotated[int, Field(ge=0)]
_Share = Annotated[float | None, Field(ge=0, le=1)]
_Milliseconds = Annotated[float | None, Field(ge=0)]


class DayMetrics(BaseModel):
    """A client's day as it is kept and shown."""

    model_config = ConfigDict(frozen=True)

    day: date
    events: _Count
    runs: _Count
    completed: _Count
    needs_review: _Count
    failed: _Count
    no_playbook: _Count
    escalated: _Count
    reviewed: _Count
    messages_in: _Count
    messages_out: _Count
    customers: _Count
    latency_p50_ms: _Milliseconds
    latency_p95_ms: _Milliseconds
    sentiment_mean: Annotated[float | None, Field(ge=-1, le=1)]
    sentiment_count: _Count
    resolution_rate: _Share
    automation_rate: _Share
    escalation_rate: _Share
    review_rate: _Share
    computed_at: Annotated[datetime, Field(description="When these values were first found.")]


def midnight(day: date) -> datetime:
    """The day's beginning."""
    return datetime.combine(day, time(), UTC)


def days_of(first: date, last: date) -> Iterator[date]:
    """Both and those between; none if the last is before the first."""
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def day_before(now: datetime) -> date:
    """The last day that is over."""
    return now.astimezone(UTC).date() - timedelta(days=1)
