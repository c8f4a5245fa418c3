"""Estimate how many unreviewed answers reviewers would have corrected.

Unreviewed answers are assumed to be as good as reviewed ones of similar confidence, so the number
follows a beta-binomial distribution. As in an exact interval, the lower bound's prior favours right
answers and the upper bound's wrong ones. The sum is computed exactly.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

ENOUGH_SEEN: Final = 5
"""Minimum number of reviews in a confidence band. With fewer reviews, the band's unreviewed answers
are not estimated."""

_TAIL: Final = 0.05

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Band:
    """Numbers of answers of similar confidence: reviewed, reviewed and corrected, and
    unreviewed."""

    wrong: int
    seen: int
    unseen: int


@dataclass(frozen=True, slots=True)
class UnseenWrong:
    """The estimated number of wrong unreviewed answers: a 90 % interval for bands with enough
    reviews, and the `unknown` answers in the other bands."""

    low: int
    high: int
    unknown: int


def unseen_wrong(bands: Iterable[Band]) -> UnseenWrong:
    """Return the estimated number of wrong answers over all bands, or 0 if there are no bands. The
    function is pure."""
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
    """Return the quantile of a distribution at the probability `share`. `chances` is the
    probability of each count, starting at 0."""
    below = np.cumsum(chances / chances.sum())
    return min(int(np.searchsorted(below, share)), len(below) - 1)


def _chances(unseen: int, alpha: float, beta: float) -> _Floats:
    """Return the probability of each number of wrong answers among the unseen answers. The numbers
    range from 0 to `unseen`."""
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
