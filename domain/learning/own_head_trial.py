"""The rules for a client's own classifier head: the tickets that it learns from, when it is fitted,
and whether it is used."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from math import sqrt
from typing import Final, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category

MIN_LESSONS: Final = 100
MAX_LESSONS: Final = 1_000
"""Maximum number of a client's latest lessons that a fit uses. The number is limited because the
cost of a fit grows with its cube."""
STANDARD_ERRORS: Final = 2.0
CHANGED_SHARE: Final = 0.05
LONGEST: Final = timedelta(days=30)


class OwnHeadState(StrEnum):
    USED = "used"
    NO_BETTER = "no_better"
    TOO_FEW = "too_few"


class Lesson(NamedTuple):
    """A decided ticket from which a classifier head learns. `classification` is the reviewer's
    final category."""

    id: str
    text: str
    classification: Category
    at: datetime


class HeldBackCount(BaseModel):
    """The held-out tickets that only the client's own head, only the shared head, or both
    classified correctly."""

    model_config = ConfigDict(frozen=True)

    tickets: int = Field(default=0, ge=0)
    won: int = Field(default=0, ge=0)
    lost: int = Field(default=0, ge=0)
    both_right: int = Field(default=0, ge=0)

    @property
    def own_accuracy(self) -> float:
        return (self.both_right + self.won) / max(self.tickets, 1)

    @property
    def shared_accuracy(self) -> float:
        return (self.both_right + self.lost) / max(self.tickets, 1)


class OwnHeadRecord(HeldBackCount):
    """The metrics of one version of a client's own classifier head. `model` is the fingerprint of
    the shared classifier."""

    id: str
    created_at: datetime
    state: OwnHeadState
    model: str

    @property
    def is_compared(self) -> bool:
        return self.state is not OwnHeadState.TOO_FEW


class TriedHead(NamedTuple):
    """The result of a fit. `weights` are the weights of the new classifier head, or None if it is
    not used."""

    held_back: HeldBackCount
    state: OwnHeadState
    weights: bytes | None = None


class TriesHeads(Protocol):
    """A trainer that fits and compares classifier heads for one shared classifier. `model` is the
    classifier's fingerprint."""

    @property
    def model(self) -> str: ...

    async def tried(self, lessons: Sequence[Lesson]) -> TriedHead: ...


def adopted(held_back: HeldBackCount) -> OwnHeadState:
    """Return the state of a client's classifier head after its comparison with the shared one.

    It is used if `won` exceeds `lost` by STANDARD_ERRORS standard errors, which happens by chance
    once in forty comparisons.
    """
    if held_back.tickets < MIN_LESSONS:
        return OwnHeadState.TOO_FEW
    differ = held_back.won + held_back.lost
    ahead = held_back.won - held_back.lost
    if differ and ahead >= STANDARD_ERRORS * sqrt(differ):
        return OwnHeadState.USED
    return OwnHeadState.NO_BETTER


def is_due(
    latest: OwnHeadRecord | None, decided: Sequence[datetime], model: str, now: datetime
) -> bool:
    """Return True if a new fit of the client's own classifier head is due.

    Each new version invalidates the results of saved cases. A version is therefore kept until
    CHANGED_SHARE of the lessons (`decided`) have changed, or for LONGEST. A new shared classifier
    always requires a fit.
    """
    count = len(decided)
    if latest is None:
        return count > 0
    if latest.model != model or now - latest.created_at >= LONGEST:
        return True
    if count < MIN_LESSONS or latest.state is OwnHeadState.TOO_FEW:
        return count != latest.tickets
    new = sum(at > latest.created_at for at in decided)
    gone = max(latest.tickets + new - count, 0)
    return max(new, gone) >= CHANGED_SHARE * latest.tickets
