"""Churn: how likely a customer is to leave, from what their messages and tickets left behind.

The score is a weighted sum: each factor is a value from 0 (no sign) to 1 (as bad as it counts), the
weights add up to 1, and so the contributions add up to the score. Whatever gets worse alone, the
score does not fall. `docs/metrics.md` explains it to people.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.runs.sentiment import CRITICAL_AT

LOOKS_BACK: Final = timedelta(days=180)
"""Who has not written for so long is gone already: nothing is predicted of them."""

RECENT: Final = timedelta(days=30)

MEDIUM_FROM: Final = 0.3
HIGH_FROM: Final = 0.6

# Of a customer who wrote on one day only, nobody knows how often they do.
_UNKNOWN_GAP: Final = timedelta(days=30)
_SHORTEST_GAP: Final = timedelta(days=1)
_DIGITS: Final = 4


class ChurnLevel(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class FactorName(StrEnum):
    """`sentiment`: how bad the mood of the last 30 days was. `trend`: how much worse than before.
    `repeats`: tickets about the same matter in 30 days. `unresolved`: tickets that failed, were
    handed over or still wait. `silence`: longer than usual, after a ticket that ended badly."""

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
# Tickets from which on one more makes it no worse.
_MANY_REPEATS: Final = 3
_MANY_UNRESOLVED: Final = 2
# Silence counts from once the usual pause on, and fully from three times of it.
_WHOLE_SILENCE: Final = 2.0


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a customer in the time that is looked back on.

    `contact_days`: on how many different days they wrote. `mood_recent`, `mood_before`: mean
    sentiment (-1 to 1) of the last 30 days and of those before, None without any; `mood_last`: of
    the last message that has one. `same_matter`: tickets of the most frequent classification in
    30 days. `unresolved`: tickets that failed or are in human hands; `last_unresolved`: the last
    ticket is one.
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
    """`score`: 0 to 1, the sum of the contributions. It orders customers, and is no probability."""

    model_config = ConfigDict(frozen=True)

    score: Annotated[float, Field(ge=0, le=1)]
    level: ChurnLevel
    factors: tuple[Factor, ...]


class ChurnPrediction(Prediction):
    """A prediction as it is kept. `customer_email`: the address as limits count it, one spelling
    for one person. `week`: its Monday."""

    id: str
    customer_email: str
    week: date
    created_at: Annotated[datetime, Field(description="When this score was first found.")]


def week_of(at: datetime) -> date:
    """The Monday of the week, UTC, that an aware time falls in."""
    day = at.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def level_of(score: float) -> ChurnLevel:
    """The level of a score: from each bound on, the higher one."""
    if score >= HIGH_FROM:
        return ChurnLevel.HIGH
    return ChurnLevel.MEDIUM if score >= MEDIUM_FROM else ChurnLevel.LOW


def predict(history: History, now: datetime) -> Prediction:
    """The prediction for a customer at an aware time."""
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
    """How far the mood has fallen; one whole point, as from glad to indifferent, is the most."""
    if history.mood_recent is None or history.mood_before is None:
        return 0
    return _clipped(history.mood_before - history.mood_recent)


def _silence(history: History, now: datetime) -> float:
    """Only after a ticket that ended badly: who has what they wanted has no reason to write."""
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
