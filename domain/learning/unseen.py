"""The unseen: how many of the answers that nobody looked at people would have corrected.

Answers of about one confidence are taken to be as good as those of them that people saw. How many
of the others are wrong then follows a beta-binomial distribution. As for an exact interval of a
share, the lower end takes the prior that favours right answers and the upper end the one that
favours wrong ones: one prior for both would be too sure where nearly all answers are right. The sum
over all confidences is exact: no random number is drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

ENOUGH_SEEN: Final = 5
"""Of one band of confidence; below it nothing is said of the others there."""

_TAIL: Final = 0.05

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
    """Between `low` and `high`, at 90 %, of those in bands where enough was seen; `unknown`: how
    many are in the others."""

    low: int
    high: int
    unknown: int


def unseen_wrong(bands: Iterable[Band]) -> UnseenWrong:
    """Pure; of no bands there is nothing wrong."""
    unknown = 0
    fewest: _Floats = np.ones(1)
    most: _Floats = np.ones(1)
    for band in bands:
        if band.seen < ENOUGH_SEEN:
            unknown += band.unseen
        elif band.unseen:
            right = band.seen - band.wrong
            fewest = np.convolve(fewest, _chances(band.unseen, band.wrong, right + 1))
            most = np.convolve(most, _chances(band.unseen, band.wrong + 1, right))
    return UnseenWrong(_at(fewest, _TAIL), _at(most, 1 - _TAIL), unknown)


def _at(chances: _Floats, share: float) -> int:
    """The number below which that share of the chances lies."""
    below = np.cumsum(chances / chances.sum())
    return min(int(np.searchsorted(below, share)), len(below) - 1)


def _chances(unseen: int, alpha: float, beta: float) -> _Floats:
    """How likely each number of wrong ones among the unseen is, from none to all."""
    chances: _Floats = np.zeros(unseen + 1)
    if alpha == 0 or beta == 0:
        chances[0 if alpha == 0 else unseen] = 1
        return chances
    count = np.arange(unseen, dtype=np.float64)
    ratio = (unseen - count) * (alpha + count) / ((count + 1) * (beta + unseen - count - 1))
    chances[1:] = np.cumsum(np.log(ratio))
    chances = np.exp(chances - chances.max())
    chances /= chances.sum()
    return chances
