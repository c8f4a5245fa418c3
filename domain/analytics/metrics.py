"""Daily metrics: what each number of a client's day counts, and the rates made of them.

A day is one of UTC, and belongs to whatever was received (events, runs) or written (messages,
moods) in it. The words for people: `docs/metrics.md`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

DURABLE_AFTER: Final = timedelta(days=7)
"""A resolved run counts as durable if its customer has not come back about it for so long."""

REFRESHED: Final = 13
"""Each night computes so many days, the one before and those before it. A review may be decided for
72 hours and its last round a little later: what it changes belongs to the day of its run, and stays
closed or not for `DURABLE_AFTER` from then on."""

MAX_DAYS_AT_ONCE: Final = 3_660
"""The days that may be computed again by one command: ten years."""


_Count = Annotated[int, Field(ge=0)]
_Share = Annotated[float | None, Field(ge=0, le=1)]
_Milliseconds = Annotated[float | None, Field(ge=0)]


class Slice(BaseModel):
    """A part of a day's runs; each count means what it does in `DayCounts`. `key`: the class, the
    playbook's id or the channel; "" stands for none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    asked: _Count = 0
    resolved: _Count = 0
    resolved_alone: _Count = 0
    escalated: _Count = 0
    reopened: _Count | None = None
    durable: _Count | None = None
    cost_micros: _Count = 0


class Breakdown(BaseModel):
    """A day's runs by class, playbook and channel, each in the order of its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    by_class: tuple[Slice, ...] = ()
    by_playbook: tuple[Slice, ...] = ()
    by_channel: tuple[Slice, ...] = ()


@dataclass(frozen=True, slots=True)
class DayCounts:
    """What SQL finds of a day. Of runs by `received_at`: `completed`, `needs_review` and `failed`
    as they stand now; `escalated`: those that a human was ever asked about; `reviewed`: those of
    them that a human has decided. `no_playbook`: events without a run. `customers`: the different
    ones who wrote. `latency_*`: milliseconds from a request's arrival to its first outcome.

    `asked`: the runs that have something of their own to answer to, which automatic mails and
    messages added to an open review have not. Of them `handled`: those with an outcome, `resolved`:
    the completed ones, `resolved_alone`: those completed without a human. Of the resolved ones
    `reopened`: those whose customer came back within `DURABLE_AFTER`, `durable`: the others; None
    until that time is over for all of them. `escalations`: the escalated ones by reason. `rated`,
    `satisfied`, `rating_mean`: ratings given on the day. `latencies`: runs by the steps of
    `domain/analytics/latencies.py`.
    """

    events: int
    runs: int
    completed: int
    needs_review: int
    failed: int
    no_playbook: int
    escalated: int
    reviewed: int
    asked: int
    handled: int
    resolved: int
    resolved_alone: int
    reopened: int | None
    durable: int | None
    escalations: Mapping[str, int]
    messages_in: int
    messages_out: int
    customers: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    latencies: Mapping[str, int]
    sentiment_mean: float | None
    sentiment_count: int
    rated: int
    satisfied: int
    rating_mean: float | None
    cost_micros: int
    breakdown: Breakdown


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares from 0 to 1; None where there is nothing to have a share of."""

    resolution_rate: float | None
    automation_rate: float | None
    escalation_rate: float | None
    review_rate: float | None


def rates(counts: DayCounts) -> Rates:
    """Of the runs that ask for something those that were resolved, that were so without a human,
    and that a human was asked about; of the last those that a human has decided."""
    return Rates(
        resolution_rate=share(counts.resolved, counts.asked),
        automation_rate=share(counts.resolved_alone, counts.asked),
        escalation_rate=share(counts.escalated, counts.asked),
        review_rate=share(counts.reviewed, counts.escalated),
    )


def share(part: int, whole: int) -> float | None:
    """A part of a whole; None where the whole is nothing."""
    return part / whole if whole else None


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
    asked: _Count | None
    handled: _Count | None
    resolved: _Count | None
    resolved_alone: _Count | None
    reopened: _Count | None
    durable: _Count | None
    escalations: dict[str, _Count]
    rated: _Count
    satisfied: _Count
    rating_mean: Annotated[float | None, Field(ge=1, le=5)]
    cost_micros: _Count
    computed_at: Annotated[datetime, Field(description="When these values were first found.")]


class DayInsight(DayMetrics):
    """The same with what ranges of days are added up from."""

    latencies: dict[str, _Count]
    breakdown: Breakdown


def midnight(day: date) -> datetime:
    """The day's beginning."""
    return datetime.combine(day, time(), UTC)


def days_of(first: date, last: date) -> Iterator[date]:
    """Both and those between; none if the last is before the first."""
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def day_before(now: datetime) -> date:
    """The last day that is over."""
    return now.astimezone(UTC).date() - timedelta(days=1)
