"""Intervals: between which values a share lies that was counted on a few."""

from math import sqrt
from typing import Final, NamedTuple

_Z95: Final = 1.959964
"""Of the normal distribution, for 95 of 100 such intervals to hold the truth."""


class Interval(NamedTuple):
    low: float
    high: float


def wilson(hits: int, trials: int) -> Interval:
    """The interval of a share by Wilson, at 95 %; of no trials it is all from 0 to 1.

    Raises ValueError for more hits than trials.
    """
    if not 0 <= hits <= trials:
        raise ValueError("between no hit and one for each trial")
    if trials == 0:
        return Interval(0.0, 1.0)
    share, square = hits / trials, _Z95**2
    middle = share + square / (2 * trials)
    reach = _Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    whole = 1 + square / trials
    # No rounding excludes the share itself.
    low = 0.0 if hits == 0 else (middle - reach) / whole
    high = 1.0 if hits == trials else (middle + reach) / whole
    return Interval(low, high)
