"""Metrics for a range of days, compared with the preceding range of the same length.

Rates are computed from the summed counts, never as a mean of daily rates. `docs/metrics.md`
explains each metric.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.analytics.first_answers import FirstAnswerFigures, first_answer_figures
from domain.analytics.latencies import added, percentile
from domain.analytics.metrics import Breakdown, DayInsight, Slice, share
from domain.analytics.saved_time import hours_saved
from domain.core.money import MAX_MINOR, Money

_Count = Annotated[int, Field(ge=0)]
_Share = Annotated[float | None, Field(ge=0, le=1)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Figures(FirstAnswerFigures):
    """Metrics for a range of days, computed from its counted days. A rate or mean without data is
    null."""

    events: _Count
    runs: _Count
    asked: Annotated[
        _Count,
        Field(
            description=(
                "Number of runs that require an answer. Automatic emails and messages added to "
                "an open review are not counted."
            )
        ),
    ]
    handled: Annotated[
        _Count, Field(description="Number of runs counted in `asked` that have an outcome.")
    ]
    resolved: Annotated[
        _Count, Field(description="Number of runs counted in `asked` that are completed.")
    ]
    resolved_alone: Annotated[
        _Count,
        Field(
            description=(
                "Number of runs counted in `resolved` that were completed without a human."
            )
        ),
    ]
    resolved_with_people: Annotated[
        _Count,
        Field(
            description=(
                "Number of runs counted in `resolved` that were completed with human help."
            )
        ),
    ]
    escalated: Annotated[
        _Count,
        Field(description="Number of runs counted in `asked` that were escalated to a human."),
    ]
    reviewed: Annotated[
        _Count, Field(description=("Number of runs counted in `escalated` that a human decided."))
    ]
    followed: Annotated[
        _Count,
        Field(
            description=(
                "Number of runs counted in `asked` on days for which the 7-day follow-up is "
                "complete."
            )
        ),
    ]
    durable: Annotated[
        _Count,
        Field(
            description="Number of runs counted in `followed` that were resolved and not reopened."
        ),
    ]
    reopened: Annotated[
        _Count,
        Field(
            description="Number of runs counted in `followed` that were resolved and then reopened."
        ),
    ]
    handled_rate: Annotated[
        _Share, Field(description=("`handled` as a share of `asked`, from 0 to 1."))
    ]
    resolution_rate: Annotated[
        _Share, Field(description=("`resolved` as a share of `asked`, from 0 to 1."))
    ]
    automation_rate: Annotated[
        _Share, Field(description=("`resolved_alone` as a share of `asked`, from 0 to 1."))
    ]
    assisted_rate: Annotated[
        _Share,
        Field(description=("`resolved_with_people` as a share of `asked`, from 0 to 1.")),
    ]
    escalation_rate: Annotated[
        _Share, Field(description=("`escalated` as a share of `asked`, from 0 to 1."))
    ]
    durable_rate: Annotated[
        _Share, Field(description=("`durable` as a share of `followed`, from 0 to 1."))
    ]
    reopen_rate: Annotated[
        _Share, Field(description=("`reopened` as a share of `followed`, from 0 to 1."))
    ]
    review_share: Annotated[
        _Share, Field(description=("`reviewed` as a share of `escalated`, from 0 to 1."))
    ]
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    sentiment_mean: Annotated[float | None, Field(ge=-1, le=1)]
    sentiment_count: _Count
    rated: Annotated[_Count, Field(description=("Number of customer ratings in the range."))]
    satisfied: Annotated[_Count, Field(description="Number of ratings of 4 or 5.")]
    rating_mean: Annotated[float | None, Field(ge=1, le=5)]
    satisfied_share: Annotated[
        _Share, Field(description=("`satisfied` as a share of `rated`, from 0 to 1."))
    ]
    cost_micros: Annotated[
        _Count, Field(description="Cost of language models, in millionths of a US dollar.")
    ]
    hours_saved: Annotated[
        float,
        Field(
            default=0,
            ge=0,
            description=(
                "Hours that human agents would have spent on the runs in `resolved_alone`, at a "
                "fixed time per run. See docs/metrics.md."
            ),
        ),
    ]
    refunds: Annotated[
        _Count,
        Field(
            default=0,
            description="Number of runs counted in `asked` for which the agent refunded money.",
        ),
    ]


class Period(_Frozen):
    """A range of days with its metrics.

    - `counted`: the number of days with metrics.
    - `missing`: the number of days without complete metrics.
    - `undetailed`: the number of counted days without refunds, ratings and response times in their
      slices.

    Earlier versions of the service computed fewer counts. A day with neither runs nor ratings is
    never `undetailed`.
    """

    first: Annotated[date, Field(serialization_alias="from")]
    last: Annotated[date, Field(serialization_alias="to")]
    counted: _Count
    missing: _Count
    figures: Figures
    undetailed: Annotated[int, Field(default=0, ge=0)]
    refunded: Annotated[
        tuple[Money, ...],
        Field(
            default=(),
            description="Money refunded for the runs in `refunds`, one amount per currency.",
        ),
    ]


class SliceFigures(FirstAnswerFigures):
    """The metrics for one category, playbook or channel. `key` is null for runs without one. `name`
    is the playbook's name."""

    key: str | None
    name: str | None = None
    asked: _Count
    asked_share: Annotated[
        _Share,
        Field(description=("This slice's share of all runs counted in `asked`, from 0 to 1.")),
    ]
    resolved: _Count
    resolved_alone: _Count
    escalated: _Count
    followed: _Count
    durable: _Count
    reopened: _Count
    resolution_rate: _Share
    automation_rate: _Share
    escalation_rate: _Share
    durable_rate: _Share
    cost_micros: _Count
    refunds: Annotated[
        _Count,
        Field(
            default=0,
            description="Number of runs counted in `asked` for which the agent refunded money.",
        ),
    ]
    refunded: Annotated[
        tuple[Money, ...],
        Field(
            default=(),
            description="Money refunded for the runs in `refunds`, one amount per currency.",
        ),
    ]
    rated: Annotated[
        _Count, Field(default=0, description="Number of customer ratings in the range.")
    ]
    satisfied: Annotated[_Count, Field(default=0, description="Number of ratings of 4 or 5.")]
    satisfied_share: Annotated[
        _Share, Field(default=None, description="`satisfied` as a share of `rated`, from 0 to 1.")
    ]
    latency_p50_ms: Annotated[
        float | None,
        Field(
            default=None,
            description="Median response time in milliseconds, with an error of at most 7.6%.",
        ),
    ]


class ReasonFigures(_Frozen):
    """The number of runs escalated for one reason, and their share of the runs that require an
    answer."""

    reason: str
    escalated: _Count
    rate: _Share


class ChurnRisk(_Frozen):
    """The numbers of customers at the medium and high churn levels, from the latest weekly
    prediction up to the end of the range."""

    week: date
    medium: _Count
    high: _Count


class Insight(_Frozen):
    """The metrics for a range of days, with breakdowns. `change`: each metric minus its value in
    the previous period, or null if either is null."""

    period: Period
    previous: Period | None
    change: dict[str, float | None] | None
    by_class: tuple[SliceFigures, ...]
    by_playbook: tuple[SliceFigures, ...]
    by_channel: tuple[SliceFigures, ...]
    by_reason: tuple[ReasonFigures, ...]
    churn: ChurnRisk | None


def before(first: date, last: date) -> tuple[date, date]:
    """Return the first and last day of the preceding range of the same length."""
    length = last - first
    return first - length - timedelta(days=1), first - timedelta(days=1)


def period(first: date, last: date, days: Sequence[DayInsight]) -> Period:
    """Return the period from `first` to `last` with its metrics. `days`: the stored rows for these
    days."""
    counted = whole(days)
    return Period(
        first=first,
        last=last,
        counted=len(counted),
        missing=(last - first).days + 1 - len(counted),
        figures=_figures(counted),
        undetailed=sum(
            bool(day.runs or day.rated) and not day.breakdown.is_detailed for day in counted
        ),
        refunded=_money(_all_runs(counted)),
    )


def whole(days: Iterable[DayInsight]) -> list[DayInsight]:
    """Return the days that have complete counts."""
    return [day for day in days if day.asked is not None]


def change(now: Figures, then: Figures) -> dict[str, float | None]:
    """Return each metric's difference between two periods, by name. A difference is None if either
    value is None."""
    values = then.model_dump()
    return {
        name: None if value is None or values[name] is None else value - values[name]
        for name, value in now.model_dump().items()
    }


def slices(
    days: Sequence[DayInsight],
    of: Callable[[Breakdown], Sequence[Slice]],
    names: Mapping[str, str] | None = None,
) -> tuple[SliceFigures, ...]:
    """Return the metrics for each slice over a range of days, largest slice first.

    `of` returns the slices of a day's breakdown. `names` maps ids to display names.
    """
    parts: dict[str, list[Slice]] = {}
    for day in days:
        for part in of(day.breakdown):
            parts.setdefault(part.key, []).append(part)
    asked = sum(part.asked for found in parts.values() for part in found)
    made = [_slice(key, found, asked, (names or {}).get(key)) for key, found in parts.items()]
    return tuple(sorted(made, key=lambda one: (-one.asked, one.key or "")))


def reasons(days: Sequence[DayInsight]) -> tuple[ReasonFigures, ...]:
    """Return the metrics for each escalation reason over a range of days, most frequent reason
    first."""
    asked = sum(day.asked or 0 for day in days)
    found = added(day.escalations for day in days)
    return tuple(
        ReasonFigures(reason=reason, escalated=count, rate=share(count, asked))
        for reason, count in sorted(found.items(), key=lambda one: (-one[1], one[0]))
    )


def _figures(days: Sequence[DayInsight]) -> Figures:
    def total(of: Callable[[DayInsight], int | None]) -> int:
        return sum(of(day) or 0 for day in days)

    asked, resolved = total(lambda day: day.asked), total(lambda day: day.resolved)
    alone, handled = total(lambda day: day.resolved_alone), total(lambda day: day.handled)
    escalated, reviewed = total(lambda day: day.escalated), total(lambda day: day.reviewed)
    over = [day for day in days if day.durable is not None]
    followed = sum(day.asked or 0 for day in over)
    durable, reopened = total(lambda day: day.durable), total(lambda day: day.reopened)
    rated, satisfied = total(lambda day: day.rated), total(lambda day: day.satisfied)
    latencies, parts = added(day.latencies for day in days), _all_runs(days)
    return Figures(
        events=total(lambda day: day.events),
        runs=total(lambda day: day.runs),
        asked=asked,
        handled=handled,
        resolved=resolved,
        resolved_alone=alone,
        resolved_with_people=resolved - alone,
        escalated=escalated,
        reviewed=reviewed,
        followed=followed,
        durable=durable,
        reopened=reopened,
        handled_rate=share(handled, asked),
        resolution_rate=share(resolved, asked),
        automation_rate=share(alone, asked),
        assisted_rate=share(resolved - alone, asked),
        escalation_rate=share(escalated, asked),
        durable_rate=share(durable, followed),
        reopen_rate=share(reopened, followed),
        review_share=share(reviewed, escalated),
        latency_p50_ms=percentile(latencies, 0.5),
        latency_p95_ms=percentile(latencies, 0.95),
        sentiment_mean=_mean((day.sentiment_mean, day.sentiment_count) for day in days),
        sentiment_count=total(lambda day: day.sentiment_count),
        rated=rated,
        satisfied=satisfied,
        rating_mean=_mean((day.rating_mean, day.rated) for day in days),
        satisfied_share=share(satisfied, rated),
        cost_micros=total(lambda day: day.cost_micros),
        hours_saved=hours_saved(alone),
        refunds=sum(part.refunds for part in parts),
        **first_answer_figures(parts),
    )


def _all_runs(days: Iterable[DayInsight]) -> list[Slice]:
    """Return slices that together contain each run in `asked` exactly once."""
    return [part for day in days for part in day.breakdown.by_class]


def _money(parts: Iterable[Slice]) -> tuple[Money, ...]:
    sums = added(part.refunded for part in parts)
    return tuple(
        Money(minor=min(minor, MAX_MINOR), currency=currency)
        for currency, minor in sorted(sums.items())
    )


def _mean(parts: Iterable[tuple[float | None, int]]) -> float | None:
    """Return the mean of all values, from the means and counts of their parts. Return None if there
    are no values."""
    known = [(mean, count) for mean, count in parts if mean is not None and count]
    whole = sum(count for _, count in known)
    return sum(mean * count for mean, count in known) / whole if whole else None


def _slice(key: str, parts: Sequence[Slice], of_asked: int, name: str | None) -> SliceFigures:
    asked = sum(part.asked for part in parts)
    resolved = sum(part.resolved for part in parts)
    alone = sum(part.resolved_alone for part in parts)
    escalated = sum(part.escalated for part in parts)
    followed = sum(part.asked for part in parts if part.durable is not None)
    durable = sum(part.durable or 0 for part in parts)
    rated, satisfied = sum(part.rated for part in parts), sum(part.satisfied for part in parts)
    return SliceFigures(
        key=key or None,
        name=name,
        asked=asked,
        asked_share=share(asked, of_asked),
        resolved=resolved,
        resolved_alone=alone,
        escalated=escalated,
        followed=followed,
        durable=durable,
        reopened=sum(part.reopened or 0 for part in parts),
        resolution_rate=share(resolved, asked),
        automation_rate=share(alone, asked),
        escalation_rate=share(escalated, asked),
        durable_rate=share(durable, followed),
        cost_micros=sum(part.cost_micros for part in parts),
        refunds=sum(part.refunds for part in parts),
        refunded=_money(parts),
        rated=rated,
        satisfied=satisfied,
        satisfied_share=share(satisfied, rated),
        latency_p50_ms=percentile(added(part.latencies for part in parts), 0.5),
        **first_answer_figures(parts),
    )
