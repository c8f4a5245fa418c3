"""Confidence intervals for proportions in small samples."""

from math import sqrt
from typing import Final, NamedTuple

_Z95: Final = 1.959964
"""The quantile of the standard normal distribution for a 95 % interval."""


class Interval(NamedTuple):
    low: float
    high: float


def wilson(hits: int, trials: int) -> Interval:
    """Return the 95 % Wilson interval for a proportion, or 0 to 1 without trials. Raises ValueError
    for more hits than trials."""
    if not 0 <= hits <= trials:
        raise ValueError("between no hit and one for each trial")
    if trials == 0:
        return Interval(0.0, 1.0)
    share, square = hits / trials, _Z95**2
    middle = share + square / (2 * trials)
    reach = _Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    whole = 1 + square / trials
    # The exact bounds 0 and 1 ensure that the interval contains the proportion itself, despite
    # rounding.
    low = 0.0 if hits == 0 else (middle - reach) / whole
    high = 1.0 if hits == trials else (middle + reach) / whole
    return Interval(low, high)
