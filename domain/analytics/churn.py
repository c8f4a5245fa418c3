"""The churn score: a customer's likelihood of leaving, from the customer's messages and tickets.

The score is a weighted sum of factors between 0 (no sign of churn) and 1. The weights add up to 1.
`docs/metrics.md` explains the score to users.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.runs.sentiment import CRITICAL_AT

LOOKS_BACK: Final = timedelta(days=180)
"""The period of a customer's history that the prediction covers. No churn is predicted for a
customer who has not written for this long, because that customer has already left."""

RECENT: Final = timedelta(days=30)

MEDIUM_FROM: Final = 0.3
HIGH_FROM: Final = 0.6

# Assumed time between messages if a customer wrote on only one day, because the customer's usual
# interval is unknown.
_UNKNOWN_GAP: Final = timedelta(days=30)
_SHORTEST_GAP: Final = timedelta(days=1)
_DIGITS: Final = 4


class ChurnLevel(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class FactorName(StrEnum):
    """A factor of the churn score.

    - `sentiment`: the negativity of the sentiment in the last 30 days.
    - `trend`: the decline of the sentiment.
    - `repeats`: tickets in the same category within 30 days.
    - `unresolved`: tickets that failed, wait for a review or went to human agents.
    - `silence`: an unusually long silence after a ticket that ended badly.
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
# Numbers of repeated and unresolved tickets at which the `repeats` and `unresolved` factors reach
# their maximum.
_MANY_REPEATS: Final = 3
_MANY_UNRESOLVED: Final = 2
# The silence factor starts after one usual interval between the customer's messages. It reaches its
# maximum after this many more intervals.
_WHOLE_SILENCE: Final = 2.0


@dataclass(frozen=True, slots=True)
class History:
    """A customer's history within LOOKS_BACK.

    - `contact_days`: the number of days on which the customer wrote.
    - `mood_recent`, `mood_before`: the mean sentiment (-1 to 1) in the last 30 days and before, or
      None.
    - `mood_last`: the latest message's sentiment, or None.
    - `same_matter`: the number of tickets in the most frequent category within 30 days.
    - `unresolved`: the number of tickets that failed, wait for a review or went to human agents.
    - `last_unresolved`: whether the latest ticket is unresolved.
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
    """One factor's part of a churn score. `contribution` is the factor's value multiplied by its
    weight."""

    model_config = ConfigDict(frozen=True)

    name: FactorName
    value: Annotated[float, Field(ge=0, le=1)]
    weight: Annotated[float, Field(ge=0, le=1)]
    contribution: Annotated[float, Field(ge=0, le=1)]


class Prediction(BaseModel):
    """A predicted churn score from 0 to 1. It ranks customers and is not a probability."""

    model_config = ConfigDict(frozen=True)

    score: Annotated[float, Field(ge=0, le=1)]
    level: ChurnLevel
    factors: tuple[Factor, ...]


class ChurnPrediction(Prediction):
    """A stored churn prediction. `customer_email` is in canonical form. `week` is the Monday of the
    prediction's week."""

    id: str
    customer_email: str
    week: date
    created_at: Annotated[
        datetime, Field(description=("Time at which this churn score was first computed."))
    ]


def week_of(at: datetime) -> date:
    """Return the Monday of the UTC week that contains a timezone-aware time."""
    day = at.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def level_of(score: float) -> ChurnLevel:
    """Return the churn level for a score. A score exactly at the bound between two levels has the
    higher level."""
    if score >= HIGH_FROM:
        return ChurnLevel.HIGH
    return ChurnLevel.MEDIUM if score >= MEDIUM_FROM else ChurnLevel.LOW


def predict(history: History, now: datetime) -> Prediction:
    """Return the churn prediction for a customer at a timezone-aware time."""
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
    """Return the decline of the sentiment, from 0 to 1. A fall from positive (1) to neutral (0) is
    the maximum."""
    if history.mood_recent is None or history.mood_before is None:
        return 0
    return _clipped(history.mood_before - history.mood_recent)


def _silence(history: History, now: datetime) -> float:
    """Return the value of the silence factor. It is 0 unless the latest ticket ended badly, because
    a satisfied customer has no reason to write."""
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
