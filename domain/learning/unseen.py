"""The unseen: how many of the answers that nobody looked at people would have corrected.

Answers of about one confidence are taken to be as good as those of them that people saw. How many
of the others are wrong then follows a beta-binomial distribution (Jeffreys' prior). The sum over
all confidences is exact: no random number is drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

ENOUGH_SEEN: Final = 10
"""Of one band of confidence; below it nothing is said of the others there."""

_TAIL: Final = 0.025
_PRIOR: Final = 0.5

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Band:
    """Answers of about one confidence: people saw `seen`, corrected `wrong` of them, and did not
    see `unseen` others."""

    wrong: int
    seen: int
    unseen: int


@dataclass(frozen=True, slots=True)
class UnseenWrong:
    """Between `low` and `high`, at 95 %, of those in bands where enough was seen; `unknown`: how
    many are in the others."""

    low: int
    high: int
    unknown: int


def unseen_wrong(bands: Iterable[Band]) -> UnseenWrong:
    """Pure; of no bands there is nothing wrong."""
    unknown = 0
    sums: _Floats = np.ones(1)
    for band in bands:
        if band.seen < ENOUGH_SEEN:
            unknown += band.unseen
        elif band.unseen:
            sums = np.convolve(sums, _chances(band))
    below = np.cumsum(sums / sums.sum())
    last = len(below) - 1
    return UnseenWrong(
        low=min(int(np.searchsorted(below, _TAIL)), last),
        high=min(int(np.searchsorted(below, 1 - _TAIL)), last),
        unknown=unknown,
    )


def _chances(band: Band) -> _Floats:
    """How likely each number of wrong ones among the unseen is, from none to all."""
    alpha, beta = _PRIOR + band.wrong, _PRIOR + band.seen - band.wrong
    count = np.arange(band.unseen, dtype=np.float64)
    ratio = (band.unseen - count) * (alpha + count)
    ratio /= (count + 1) * (beta + band.unseen - count - 1)
    logs = np.concatenate([np.zeros(1), np.cumsum(np.log(ratio))])
    chances: _Floats = np.exp(logs - logs.max())
    chances /= chances.sum()
    return chances
