"""How sure the agent was, and what came of it: what a histogram of confidences shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.learning.threshold_advice import PastOutcome, Seen

BINS: Final = 20
MOST_COUNTED: Final = 1_000


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Runs with a confidence from `low` on. `alone`: sent before anybody looked. `kept`: people
    sent the draft as it was, or did not say. `corrected`: they changed or refused it."""

    low: float
    alone: int = 0
    kept: int = 0
    corrected: int = 0


def count_confidences(history: Sequence[PastOutcome]) -> tuple[ConfidenceBin, ...]:
    """Pure. `history`: the latest first; as many as `MOST_COUNTED` are counted."""
    counts = [[0, 0, 0] for _ in range(BINS)]
    for one in [past for past in history if not past.in_shadow][:MOST_COUNTED]:
        # A little more, so that 0.70 does not fall below itself.
        place = min(int(one.confidence * BINS + 1e-9), BINS - 1)
        part = 0 if one.seen is Seen.ALONE else 2 if one.seen.is_wrong else 1
        counts[place][part] += 1
    return tuple(ConfidenceBin(number / BINS, *parts) for number, parts in enumerate(counts))
