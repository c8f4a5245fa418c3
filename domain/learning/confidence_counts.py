"""Counts of review outcomes by confidence, for a histogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.learning.threshold_advice import PastOutcome, Seen

BINS: Final = 20
MOST_COUNTED: Final = 1_000


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Counts of the runs in one bin of the histogram. `low` is its lower bound. `alone`: sent
    without review. `kept`: sent unchanged, or undecided. `corrected`: changed or rejected by
    reviewers."""

    low: float
    alone: int = 0
    kept: int = 0
    corrected: int = 0


def count_confidences(history: Sequence[PastOutcome]) -> tuple[ConfidenceBin, ...]:
    """Count past runs in BINS bins of equal confidence. `history` is latest first.

    At most MOST_COUNTED runs are counted, and none in shadow mode.
    """
    counts = [[0, 0, 0] for _ in range(BINS)]
    for one in [past for past in history if not past.in_shadow][:MOST_COUNTED]:
        # The small addition keeps a confidence of 0.70 in the bin that starts at 0.70, despite
        # rounding.
        place = min(int(one.confidence * BINS + 1e-9), BINS - 1)
        part = 0 if one.seen is Seen.ALONE else 2 if one.seen.is_wrong else 1
        counts[place][part] += 1
    return tuple(ConfidenceBin(number / BINS, *parts) for number, parts in enumerate(counts))
