"""Confidence values by outcome, as in the histogram."""

from domain.learning.confidence_counts import BINS, MOST_COUNTED, count_confidences
from domain.learning.threshold_advice import PastOutcome, Seen


def test_each_run_is_counted_once_at_its_confidence() -> None:
    bins = count_confidences(
        [
            PastOutcome(0.70, Seen.ALONE),
            PastOutcome(0.72, Seen.EDITED),
            PastOutcome(1.0, Seen.APPROVED),
            PastOutcome(0.1, Seen.ALONE, in_shadow=True),
        ]
    )
    assert len(bins) == BINS
    assert (bins[14].low, bins[14].alone, bins[14].corrected) == (0.7, 1, 1)
    assert bins[-1].kept == 1
    assert sum(one.alone + one.kept + one.corrected for one in bins) == 3


def test_only_the_latest_are_counted() -> None:
    bins = count_confidences([PastOutcome(0.5, Seen.ALONE)] * (MOST_COUNTED + 5))
    assert bins[10].alone == MOST_COUNTED
