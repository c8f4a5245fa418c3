"""Threshold advice: what another threshold would have sent to review, and what it would have
caught."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Seen(StrEnum):
    """What came of a run's draft. `alone`: nobody looked before it was sent. `unknown`: people were
    asked, and did not say."""

    ALONE = "alone"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PastOutcome:
    """One run. `is_held`: people would have looked at it whatever the threshold."""

    confidence: float
    seen: Seen
    is_held: bool = False


class ThresholdAdvice(BaseModel):
    """The curve over candidate thresholds."""

    model_config = ConfigDict(frozen=True)


def advise(history: Sequence[PastOutcome], current: float) -> ThresholdAdvice:
    """Pure: the curve for this history. `current`: the threshold that holds."""
    raise NotImplementedError(history, current)
