"""Latencies of many days: counted in steps, because percentiles of days do not add up.

A step holds the latencies from `_WIDTH ** step` to less than `_WIDTH ** (step + 1)` milliseconds.
The counts of days add up, and a percentile found in them is at most 2.5 % off.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

WIDTH: Final = 1.05
"""The ratio of a step's end to its beginning."""


def added(days: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The counts of several days together."""
    total: Counter[str] = Counter()
    for day in days:
        total.update(day)
    return dict(total)


def percentile(latencies: Mapping[str, int], share: float) -> float | None:
    """The milliseconds that this share (0 to 1) of the latencies took at most, as the middle of
    their step; None of nothing."""
    left = share * sum(latencies.values())
    steps = sorted((int(step), count) for step, count in latencies.items() if count)
    for step, count in steps:
        left -= count
        if left <= 0:
            return float(WIDTH ** (step + 0.5))
    return None
