"""Advise on the threshold: how many reviews another threshold would require, and which corrections
they would catch.

Unreviewed outcomes are estimated from reviews with similar confidence, or unknown if there are too
few. The advice is never applied automatically.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.learning.unseen import Band, unseen_wrong

MAX_HISTORY: Final = 2_000
"""Maximum number of past runs on which the advice is based."""

_GRID: Final = tuple(step / 100 for step in range(101))
_CURVE_STEP: Final = 5
_BAND: Final = 0.05
# Below this number of corrections, no threshold is suggested.
_ENOUGH_WRONG: Final = 4
_CAUGHT: Final = 0.75


class Seen(StrEnum):
    """The outcome of a run's draft. `alone`: sent without a review. `unknown`: sent to a review
    without a decision."""

    ALONE = "alone"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    UNKNOWN = "unknown"

    @property
    def is_known(self) -> bool:
        """Return True if a reviewer decided on the draft."""
        return self not in (Seen.ALONE, Seen.UNKNOWN)

    @property
    def is_wrong(self) -> bool:
        """Return True if a reviewer edited or rejected the draft."""
        return self in (Seen.EDITED, Seen.REJECTED)


@dataclass(frozen=True, slots=True)
class PastOutcome:
    """The outcome of one past run. If `is_held` is true, the run would be reviewed at any
    threshold. If `in_shadow` is true, the run is only evidence, and is not counted."""

    confidence: float
    seen: Seen
    is_held: bool = False
    in_shadow: bool = False


class ThresholdPoint(BaseModel):
    """The effect of one threshold on past runs.

    - `reviewed`, `alone`: runs reviewed or answered automatically.
    - `coverage`: `alone` as a share of all runs.
    - `edits`, `rejections`: drafts that reviewers edited or rejected.
    - `edits_caught`, `rejections_caught`: those that would have been reviewed.
    - `wrong_low`, `wrong_high`: the 90 % interval for automatic answers that reviewers would have
      corrected.
    - `unknown`: runs without an estimate, because too few reviews have a similar confidence.

    Edits and rejections exclude runs held at any threshold.
    """

    model_config = ConfigDict(frozen=True)

    threshold: float
    reviewed: int
    alone: int
    coverage: float
    edits: int
    edits_caught: int
    rejections: int
    rejections_caught: int
    wrong_low: int
    wrong_high: int
    unknown: int


class ThresholdAdvice(BaseModel):
    """The effects of the current, the suggested and other thresholds. `suggested` is the lowest
    threshold that would have caught three of four corrections, or None if too few corrections are
    known."""

    model_config = ConfigDict(frozen=True)

    runs: int
    current: ThresholdPoint
    suggested: ThresholdPoint | None
    curve: tuple[ThresholdPoint, ...]


def advise(history: Sequence[PastOutcome], current: float) -> ThresholdAdvice:
    """Return the threshold advice for a history of runs. `current` is the threshold in use."""
    past = _Past(history)
    suggested = next((one for one in _GRID if past.catches_enough(one)), None)
    return ThresholdAdvice(
        runs=past.runs,
        current=past.point(current),
        suggested=None if suggested is None else past.point(suggested),
        curve=tuple(past.point(one) for one in _GRID[::_CURVE_STEP]),
    )


class _Past:
    """A history of runs, sorted once for all thresholds."""

    def __init__(self, history: Sequence[PastOutcome]) -> None:
        real = [one for one in history if not one.in_shadow]
        free = [one for one in real if not one.is_held]
        evidence = [one for one in history if not one.is_held and one.seen.is_known]
        self.runs = len(real)
        self._held = self.runs - len(free)
        self._free = sorted(one.confidence for one in free)
        self._edits = sorted(one.confidence for one in free if one.seen is Seen.EDITED)
        self._rejections = sorted(one.confidence for one in free if one.seen is Seen.REJECTED)
        self._unseen = sorted(one.confidence for one in free if not one.seen.is_known)
        self._trials: dict[int, int] = {}
        self._wrong: dict[int, int] = {}
        for one in evidence:
            band = _band(one.confidence)
            self._trials[band] = self._trials.get(band, 0) + 1
            self._wrong[band] = self._wrong.get(band, 0) + one.seen.is_wrong

    def catches_enough(self, threshold: float) -> bool:
        wrong = len(self._edits) + len(self._rejections)
        caught = bisect_left(self._edits, threshold) + bisect_left(self._rejections, threshold)
        return wrong >= _ENOUGH_WRONG and caught >= _CAUGHT * wrong

    def point(self, threshold: float) -> ThresholdPoint:
        edits, rejections = len(self._edits), len(self._rejections)
        edits_caught = bisect_left(self._edits, threshold)
        rejections_caught = bisect_left(self._rejections, threshold)
        below = bisect_left(self._free, threshold)
        alone = len(self._free) - below
        estimate = unseen_wrong(self._bands(threshold))
        known = edits + rejections - edits_caught - rejections_caught
        return ThresholdPoint(
            threshold=threshold,
            reviewed=self._held + below,
            alone=alone,
            coverage=alone / self.runs if self.runs else 0.0,
            edits=edits,
            edits_caught=edits_caught,
            rejections=rejections,
            rejections_caught=rejections_caught,
            wrong_low=known + estimate.low,
            wrong_high=known + estimate.high,
            unknown=estimate.unknown,
        )

    def _bands(self, threshold: float) -> list[Band]:
        unseen: dict[int, int] = {}
        for confidence in self._unseen[bisect_left(self._unseen, threshold) :]:
            band = _band(confidence)
            unseen[band] = unseen.get(band, 0) + 1
        return [
            Band(self._wrong.get(band, 0), self._trials.get(band, 0), count)
            for band, count in sorted(unseen.items())
        ]


def _band(confidence: float) -> int:
    # The small addition keeps a confidence of 0.70 in the band that starts at 0.70, despite
    # rounding.
    return int(confidence / _BAND + 1e-9)
