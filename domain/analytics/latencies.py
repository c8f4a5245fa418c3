"""Histograms of latencies, which can be added up over several days, unlike percentiles.

A bucket counts latencies from `WIDTH ** step` to less than `WIDTH ** (step + 1)` milliseconds.
Percentiles have an error of at most 2.5 %.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

WIDTH: Final = 1.05
"""The ratio of a bucket's upper bound to its lower bound."""

COARSE: Final = 3
"""The number of buckets counted together in a day's breakdowns, represented by the middle one.
Percentiles have an error of at most 7.6 %."""


def added(days: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of the counts of several days, by key."""
    total: Counter[str] = Counter()
    for day in days:
        total.update(day)
    return dict(total)


def percentile(latencies: Mapping[str, int], share: float) -> float | None:
    """Return a percentile of the latencies in milliseconds, or None if there are none.

    `latencies` are counts by bucket. `share` is the percentile from 0 to 1. The result is the
    middle of its bucket.
    """
    left = share * sum(latencies.values())
    steps = sorted((int(step), count) for step, count in latencies.items() if count)
    for step, count in steps:
        left -= count
        if left <= 0:
            return float(WIDTH ** (step + 0.5))
    return None
