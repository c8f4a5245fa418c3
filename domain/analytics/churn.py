"""Churn: how likely a customer is to leave, from their messages and tickets.

The score is a weighted sum: each factor is a value from 0 (no sign) to 1 (the worst that counts).
The weights add up to 1, so the contributions add up to the score. If one factor gets worse alone,
the score does not fall. `docs/metrics.md` explains it to people.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.runs.sentiment import CRITICAL_AT

LOOKS_BACK: Final = timedelta(days=180)
"""A customer who has not written for this long has left already: there is no prediction."""

RECENT: Final = timedelta(days=30)

MEDIUM_FROM: Final = 0.3
HIGH_FROM: Final = 0.6

# The usual gap is unknown for a customer who wrote on one day only.
_UNKNOWN_GAP: Final = timedelta(days=30)
_SHORTEST_GAP: Final = timedelta(days=1)
_DIGITS: Final = 4


class ChurnLevel(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class FactorName(StrEnum):
    """`sentiment`: how bad the mood of the last 30 days was. `trend`: how much worse it is than
    before. `repeats`: tickets about the same matter in 30 days. `unresolved`: tickets that failed,
    were handed over or still wait. `silence`: longer than usual, after a ticket that ended badly.
    """

    SENTIMENT = "sentiment"
    TREND = "trend"
    REPEATS = "repeats"
    UNRESOLVED = "unresolved"
    SILENCE = "silence"


WEIGHTS: Final = {
    FactorName.SENTIMENT: 0.25,
    FactorName.TREND: 0.15,
    FactorName.REPEATS: 0.2,
    FactorName.UNRESOLVED: 0.25,
    FactorName.SILENCE: 0.15,
}
# Repeats and unresolved tickets at which the factor reaches its maximum.
_MANY_REPEATS: Final = 3
_MANY_UNRESOLVED: Final = 2
# Silence counts from one usual gap on, and fully from three of them on.
_WHOLE_SILENCE: Final = 2.0


@dataclass(frozen=True, slots=True)
class History:
    """A customer's history within LOOKS_BACK.

    `contact_days`: the number of different days on which they wrote. `mood_recent`, `mood_before`:
    mean sentiment (-1 to 1) of the last 30 days and of the days before, or None. `mood_last`: the
    sentiment of the last message that has one. `same_matter`: tickets of the most frequent
    classification in 30 days. `unresolved`: tickets that failed or are in human hands.
    `last_unresolved`: the last ticket is unresolved.
    """

    first_contact: datetime
    last_contact: datetime
    contact_days: int
    mood_recent: float | None = None
    mood_before: float | None = None
    mood_last: float | None = None
    same_matter: int = 0
    unresolved: int = 0
    last_unresolved: bool = False


class Factor(BaseModel):
    """`contribution`: value times weight."""

    model_config = ConfigDict(frozen=True)

    name: FactorName
    value: Annotated[float, Field(ge=0, le=1)]
    weight: Annotated[float, Field(ge=0, le=1)]
    contribution: Annotated[float, Field(ge=0, le=1)]


class Prediction(BaseModel):
    """`score`: 0 to 1, the sum of the contributions. It ranks customers, and is not a
    probability."""

    model_config = ConfigDict(frozen=True)

    score: Annotated[float, Field(ge=0, le=1)]
    level: ChurnLevel
    factors: tuple[Factor, ...]


class ChurnPrediction(Prediction):
    """A stored prediction. `customer_email`: the address as limits count it, one spelling for one
    person. `week`: its Monday."""

    id: str
    customer_email: str
    week: date
    created_at: Annotated[datetime, Field(description="Time when this score was first computed.")]


def week_of(at: datetime) -> date:
    """Return the Monday of the UTC week that an aware time falls in."""
    day = at.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def level_of(score: float) -> ChurnLevel:
    """Return the level of a score. A score at a bound has the higher level."""
    if score >= HIGH_FROM:
        return ChurnLevel.HIGH
    return ChurnLevel.MEDIUM if score >= MEDIUM_FROM else ChurnLevel.LOW


def predict(history: History, now: datetime) -> Prediction:
    """Return the prediction for a customer at an aware time."""
    values = {
        FactorName.SENTIMENT: _clipped(-(history.mood_recent or 0)),
        FactorName.TREND: _trend(history),
        FactorName.REPEATS: _clipped((history.same_matter - 1) / _MANY_REPEATS),
        FactorName.UNRESOLVED: _clipped(history.unresolved / _MANY_UNRESOLVED),
        FactorName.SILENCE: _silence(history, now),
    }
    factors = tuple(_factor(name, values[name]) for name in FactorName)
    score = round(sum(factor.contribution for factor in factors), _DIGITS)
    return Prediction(score=score, level=level_of(score), factors=factors)


def _factor(name: FactorName, value: float) -> Factor:
    weight = WEIGHTS[name]
    return Factor(
        name=name,
        value=round(value, _DIGITS),
        weight=weight,
        contribution=round(value * weight, _DIGITS),
    )


def _trend(history: History) -> float:
    """Return how far the mood has fallen, at most 1: the distance from glad to indifferent."""
    if history.mood_recent is None or history.mood_before is None:
        return 0
    return _clipped(history.mood_before - history.mood_recent)


def _silence(history: History, now: datetime) -> float:
    """Return 0 unless the last ticket ended badly: a satisfied customer has no reason to write."""
    upset = history.mood_last is not None and history.mood_last <= CRITICAL_AT
    if not (history.last_unresolved or upset):
        return 0
    pauses = history.contact_days - 1
    usual = _UNKNOWN_GAP
    if pauses > 0:
        usual = max((history.last_contact - history.first_contact) / pauses, _SHORTEST_GAP)
    return _clipped(((now - history.last_contact) / usual - 1) / _WHOLE_SILENCE)


def _clipped(value: float) -> float:
    return min(max(value, 0), 1)
