"""Targets for the benchmark's metrics."""

import math
from collections.abc import Sequence

from pydantic import BaseModel


class ReportRow(BaseModel):
    """The results for one contender at one concurrency level: latencies in ms over all rounds, and
    the call rate of the median round."""

    contender: str
    concurrency: int
    calls: int
    p50: float
    p95: float
    p99: float
    per_second: float
    cpu_ms: dict[str, float]


class RatioAim(BaseModel):
    """A ratio of two figures. If `is_aim` is false, the ratio has no target and is only
    reported."""

    text: str
    value: float
    met: bool
    is_aim: bool = True


def quantile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank quantile of the values, or NaN if there are no values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def note(text: str, value: float) -> RatioAim:
    return RatioAim(text=text, value=value, met=True, is_aim=False)
