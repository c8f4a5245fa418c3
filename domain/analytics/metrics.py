"""Daily metrics: the daily counts and the rates computed from them.

A UTC day's metrics cover the events and runs received on that day, and the messages written on it.
`docs/metrics.md` explains the metrics to users.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

DURABLE_AFTER: Final = timedelta(days=7)
"""Follow-up period for a resolved run. The run counts as durable if its customer does not write
again about the same topic within this period."""

REFRESHED: Final = 13
"""Number of days that are recomputed each night, ending with the previous day. It covers the time
to decide a review and `DURABLE_AFTER`, after which a day's counts are final."""

MAX_DAYS_AT_ONCE: Final = 3_660
"""Maximum number of days that one command may recompute: about ten years."""


_Count = Annotated[int, Field(ge=0)]
_Share = Annotated[float | None, Field(ge=0, le=1)]
_Milliseconds = Annotated[float | None, Field(ge=0)]


class Slice(BaseModel):
    """The counts for one category, playbook or channel within a day's runs, defined as in
    `DayCounts`.

    - `key`: the category, playbook id or channel, or empty for runs without one.
    - `refunds`, `refunded`: the runs in `asked` with a refund, and the sums in minor units, by
      currency.
    - `rated`, `satisfied`: the day's ratings, also for runs of earlier days.
    - `latencies`: runs by bucket, with `COARSE` buckets counted as one.
    - `answered`: runs in `asked` with a first answer.
    - `targeted`: `answered` if the client had a target, else 0.
    - `in_target`: runs in `targeted` with a first answer within the target.
    - `answer_times`: runs in `answered` by business time until the first answer, in the same
      buckets.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    asked: _Count = 0
    resolved: _Count = 0
    resolved_alone: _Count = 0
    escalated: _Count = 0
    reopened: _Count | None = None
    durable: _Count | None = None
    cost_micros: _Count = 0
    refunds: _Count = 0
    refunded: dict[str, _Count] = {}
    rated: _Count = 0
    satisfied: _Count = 0
    latencies: dict[str, _Count] = {}
    answered: _Count = 0
    targeted: _Count = 0
    in_target: _Count = 0
    answer_times: dict[str, _Count] = {}


class Breakdown(BaseModel):
    """A day's runs by category, playbook and channel, each list sorted by key. If `is_detailed` is
    true, they contain refunds, ratings and latencies, which earlier versions did not count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    by_class: tuple[Slice, ...] = ()
    by_playbook: tuple[Slice, ...] = ()
    by_channel: tuple[Slice, ...] = ()
    is_detailed: bool = False


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The counts for a day, as computed by SQL. A run is counted on the day of its `received_at`.

    - `completed`, `needs_review`, `failed`: runs by their current status.
    - `escalated`, `reviewed`: runs ever handed off to a human, and those that a human has decided.
    - `no_playbook`: events without a run.
    - `customers`: the number of customers who wrote.
    - `latency_*`: milliseconds from a request's arrival to its first outcome.
    - `asked`: runs that require an answer, unlike automatic emails and messages in an open review.
    - `handled`, `resolved`, `resolved_alone`: runs in `asked` with an outcome, completed, and
      completed without a review.
    - `reopened`, `durable`: resolved runs whose customer wrote again within `DURABLE_AFTER`, and
      the others. None until that time has passed for all runs.
    - `escalations`: the escalated runs by reason.
    - `rated`, `satisfied`, `rating_mean`: ratings given on the day.
    - `latencies`: runs by the buckets of `domain/analytics/latencies.py`.
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
    """The rates for a day, as shares from 0 to 1. A rate is None if its denominator is 0."""

    resolution_rate: float | None
    automation_rate: float | None
    escalation_rate: float | None
    review_rate: float | None


def rates(counts: DayCounts) -> Rates:
    """Return a day's rates. Resolution, automation and escalation are shares of `asked`. The review
    rate is the share of escalated runs that a human has decided."""
    return Rates(
        resolution_rate=share(counts.resolved, counts.asked),
        automation_rate=share(counts.resolved_alone, counts.asked),
        escalation_rate=share(counts.escalated, counts.asked),
        review_rate=share(counts.reviewed, counts.escalated),
    )


def share(part: int, whole: int) -> float | None:
    """Return `part` divided by `whole`, or None if `whole` is 0."""
    return part / whole if whole else None


class DayMetrics(BaseModel):
    """A client's metrics for one day, as stored and displayed."""

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
    computed_at: Annotated[
        datetime, Field(description="Time at which the metrics for this day were first computed.")
    ]


class DayInsight(DayMetrics):
    """A client's metrics for one day, with the data needed to sum several days."""

    latencies: dict[str, _Count]
    breakdown: Breakdown


def midnight(day: date) -> datetime:
    """Return midnight UTC at the start of a day."""
    return datetime.combine(day, time(), UTC)


def days_of(first: date, last: date) -> Iterator[date]:
    """Return the days from `first` to `last`, both inclusive. Return no days if `last` is before
    `first`."""
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def day_before(now: datetime) -> date:
    """Return the latest UTC day that has ended."""
    return now.astimezone(UTC).date() - timedelta(days=1)
