"""Threshold advice: what another threshold would have sent to review, and what people would have
caught there.

What happened is counted. What nobody saw is estimated from what people saw at the same confidence,
and is called unknown where they saw too little. Nothing of it is ever applied by itself.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.learning.unseen import Band, unseen_wrong

MAX_HISTORY: Final = 2_000
"""Runs that advice looks back on."""

_GRID: Final = tuple(step / 100 for step in range(101))
_CURVE_STEP: Final = 5
_BAND: Final = 0.05
# Of a few corrections no threshold can be chosen.
_ENOUGH_WRONG: Final = 4
_CAUGHT: Final = 0.75


class Seen(StrEnum):
    """What came of a run's draft. `alone`: it was sent before anybody looked. `unknown`: people
    were asked, and did not say."""

    ALONE = "alone"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    UNKNOWN = "unknown"

    @property
    def is_known(self) -> bool:
        return self not in (Seen.ALONE, Seen.UNKNOWN)

    @property
    def is_wrong(self) -> bool:
        return self in (Seen.EDITED, Seen.REJECTED)


@dataclass(frozen=True, slots=True)
class PastOutcome:
    """One run. `is_held`: people would have looked at it whatever the threshold. `in_shadow`: it
    was compared in shadow mode, so that it is evidence and no part of what happened."""

    confidence: float
    seen: Seen
    is_held: bool = False
    in_shadow: bool = False


class ThresholdPoint(BaseModel):
    """What one threshold would have meant for the runs of the past.

    `reviewed`: how many people would have seen, with those that they see at any threshold;
    `alone`: how many would have been sent by themselves; `coverage`: their share. `edits_caught` of
    `edits` and `rejections_caught` of `rejections`: what people corrected among runs that are not
    held, and would have seen. `wrong_low` to `wrong_high`: how many of those sent alone people
    would have corrected, at 90 %, where enough is known. `unknown`: how many nobody saw, at a
    confidence where people saw too little to say.
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
    """The curve over thresholds. `suggested`: the lowest one by which people would have seen three
    of four corrections; None where too few are known."""

    model_config = ConfigDict(frozen=True)

    runs: int
    current: ThresholdPoint
    suggested: ThresholdPoint | None
    curve: tuple[ThresholdPoint, ...]


def advise(history: Sequence[PastOutcome], current: float) -> ThresholdAdvice:
    """Pure: the curve for this history. `current`: the threshold that holds."""
    past = _Past(history)
    suggested = next((one for one in _GRID if past.catches_enough(one)), None)
    return ThresholdAdvice(
        runs=past.runs,
        current=past.point(current),
        suggested=None if suggested is None else past.point(suggested),
        curve=tuple(past.point(one) for one in _GRID[::_CURVE_STEP]),
    )


class _Past:
    """A history, sorted once for all thresholds."""

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
    # A little more, so that 0.70 does not fall below itself.
    return int(confidence / _BAND + 1e-9)
