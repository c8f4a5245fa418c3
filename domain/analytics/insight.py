"""The figures for a range of days, compared with the preceding range of the same length.

Daily counts are added up. Rates are computed from the sums, never as a mean of daily rates.
`docs/metrics.md` explains each figure.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.analytics.latencies import added, percentile
from domain.analytics.metrics import Breakdown, DayInsight, Slice, share

_Count = Annotated[int, Field(ge=0)]
_Share = Annotated[float | None, Field(ge=0, le=1)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Figures(_Frozen):
    """Figures for a range of days, computed from its counted days. A rate or mean without data is
    null."""

    events: _Count
    runs: _Count
    asked: Annotated[
        _Count,
        Field(
            description=(
                "Number of runs that need an answer of their own. Automatic mails and "
                "messages added to an open review are not counted."
            )
        ),
    ]
    handled: Annotated[_Count, Field(description="Number of `asked` runs that have an outcome.")]
    resolved: Annotated[_Count, Field(description="Number of `asked` runs that are completed.")]
    resolved_alone: Annotated[
        _Count,
        Field(description=("Number of `resolved` runs that were completed without a human.")),
    ]
    resolved_with_people: Annotated[
        _Count,
        Field(
            description=("Number of `resolved` runs that were completed with the help of a human.")
        ),
    ]
    escalated: Annotated[
        _Count, Field(description="Number of `asked` runs that were escalated to a human.")
    ]
    reviewed: Annotated[
        _Count, Field(description=("Number of `escalated` runs that a human decided."))
    ]
    followed: Annotated[
        _Count,
        Field(
            description=(
                "Number of `asked` runs on days for which the 7-day follow-up is complete."
            )
        ),
    ]
    durable: Annotated[
        _Count, Field(description="Number of `followed` runs that were resolved and not reopened.")
    ]
    reopened: Annotated[
        _Count, Field(description="Number of `followed` runs that were resolved and then reopened.")
    ]
    handled_rate: Annotated[
        _Share, Field(description=("Share of `asked` runs that are `handled`, from 0 to 1."))
    ]
    resolution_rate: Annotated[
        _Share, Field(description=("Share of `asked` runs that are `resolved`, from 0 to 1."))
    ]
    automation_rate: Annotated[
        _Share, Field(description=("Share of `asked` runs that are `resolved_alone`, from 0 to 1."))
    ]
    assisted_rate: Annotated[
        _Share,
        Field(description=("Share of `asked` runs that are `resolved_with_people`, from 0 to 1.")),
    ]
    escalation_rate: Annotated[
        _Share, Field(description=("Share of `asked` runs that are `escalated`, from 0 to 1."))
    ]
    durable_rate: Annotated[
        _Share, Field(description=("Share of `followed` runs that are `durable`, from 0 to 1."))
    ]
    reopen_rate: Annotated[
        _Share, Field(description=("Share of `followed` runs that are `reopened`, from 0 to 1."))
    ]
    review_share: Annotated[
        _Share, Field(description=("Share of `escalated` runs that are `reviewed`, from 0 to 1."))
    ]
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    sentiment_mean: Annotated[float | None, Field(ge=-1, le=1)]
    sentiment_count: _Count
    rated: Annotated[_Count, Field(description=("Number of customer ratings in the range."))]
    satisfied: Annotated[_Count, Field(description="Number of ratings of 4 or 5.")]
    rating_mean: Annotated[float | None, Field(ge=1, le=5)]
    satisfied_share: Annotated[
        _Share, Field(description=("Share of ratings that are 4 or 5, from 0 to 1."))
    ]
    cost_micros: Annotated[
        _Count, Field(description="Cost of language models, in millionths of a US dollar.")
    ]


class Period(_Frozen):
    """A range of days with its figures. `counted`: the number of days included in the figures.
    `missing`: the number of days without metrics, or with metrics from a version that did not
    compute all counts."""

    first: Annotated[date, Field(serialization_alias="from")]
    last: Annotated[date, Field(serialization_alias="to")]
    counted: _Count
    missing: _Count
    figures: Figures


class SliceFigures(_Frozen):
    """The figures for one category, playbook or channel. `key`: its identifier. Null for runs
    without a category, playbook or channel. `name`: the playbook's name."""

    key: str | None
    name: str | None = None
    asked: _Count
    asked_share: Annotated[
        _Share,
        Field(description=("Share of all `asked` runs that are in this slice, from 0 to 1.")),
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


class ReasonFigures(_Frozen):
    """The figures for one escalation reason. `escalated`: the number of runs escalated to a human
    for this reason. `rate`: the share of all `asked` runs that were escalated for this reason."""

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
    """The figures for a range of days, with breakdowns. `change`: each figure minus the same figure
    for the previous period. Null if either figure is null."""

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
    """Return the period from `first` to `last` with its figures. `days`: the stored rows for these
    days."""
    counted = whole(days)
    return Period(
        first=first,
        last=last,
        counted=len(counted),
        missing=(last - first).days + 1 - len(counted),
        figures=_figures(counted),
    )


def whole(days: Iterable[DayInsight]) -> list[DayInsight]:
    """Return the days that have complete counts."""
    return [day for day in days if day.asked is not None]


def change(now: Figures, then: Figures) -> dict[str, float | None]:
    """Return the difference between two periods for each figure, by name. A difference is None if
    either figure is None."""
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
    """Return the figures for each slice over a range of days, largest slice first.

    `of`: a function that returns the slices from a day's breakdown. `names`: the display names for
    keys that are ids.
    """
    parts: dict[str, list[Slice]] = {}
    for day in days:
        for part in of(day.breakdown):
            parts.setdefault(part.key, []).append(part)
    asked = sum(part.asked for found in parts.values() for part in found)
    made = [_slice(key, found, asked, (names or {}).get(key)) for key, found in parts.items()]
    return tuple(sorted(made, key=lambda one: (-one.asked, one.key or "")))


def reasons(days: Sequence[DayInsight]) -> tuple[ReasonFigures, ...]:
    """Return the figures for each escalation reason over a range of days, most frequent reason
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
    latencies = added(day.latencies for day in days)
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
    )
