"""What a benchmark's numbers are held against."""

import math
from collections.abc import Sequence

from pydantic import BaseModel


class ReportRow(BaseModel):
    """One contender at one concurrency: times in ms of all rounds, the median round's rate."""

    contender: str
    concurrency: int
    calls: int
    p50: float
    p95: float
    p99: float
    per_second: float
    cpu_ms: dict[str, float]


class RatioAim(BaseModel):
    """A ratio; `is_aim` unless it is only kept for the record."""

    text: str
    value: float
    met: bool
    is_aim: bool = True


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def note(text: str, value: float) -> RatioAim:
    return RatioAim(text=text, value=value, met=True, is_aim=False)
