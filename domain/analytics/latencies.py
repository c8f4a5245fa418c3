"""Latencies over many days, counted in buckets, because daily percentiles do not add up.

A bucket holds the latencies from `WIDTH ** step` to less than `WIDTH ** (step + 1)` milliseconds.
The counts of several days add up, and a percentile computed from them is at most 2.5 % off.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

WIDTH: Final = 1.05
"""The ratio of a bucket's end to its start."""


def added(days: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of the counts of several days."""
    total: Counter[str] = Counter()
    for day in days:
        total.update(day)
    return dict(total)


def percentile(latencies: Mapping[str, int], share: float) -> float | None:
    """Return a percentile in milliseconds, or None if there are no latencies.

    `share`: from 0 to 1. The value is the middle of the percentile's bucket.
    """
    left = share * sum(latencies.values())
    steps = sorted((int(step), count) for step, count in latencies.items() if count)
    for step, count in steps:
        left -= count
        if left <= 0:
            return float(WIDTH ** (step + 0.5))
    return None
