"""The trial of a client's own head: what it is fitted to, when, and whether it is used."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from math import sqrt
from typing import Final, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category

MIN_LESSONS: Final = 100
MAX_LESSONS: Final = 1_000
"""The latest of a client. The cost of a fit grows with the cube of their number."""
STANDARD_ERRORS: Final = 2.0
CHANGED_SHARE: Final = 0.05
LONGEST: Final = timedelta(days=30)


class OwnHeadState(StrEnum):
    USED = "used"
    NO_BETTER = "no_better"
    TOO_FEW = "too_few"


class Lesson(NamedTuple):
    """A decided ticket. `classification`: the class that a person gave it or let stand. `at`: when
    the person decided."""

    id: str
    text: str
    classification: Category
    at: datetime


class HeldBackCount(BaseModel):
    """On tickets that were held back from the fit: how many the client's own head had right alone
    (`won`), the shared one alone (`lost`), and both."""

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
    """One version. `model`: the fingerprint of the shared classifier that it was compared with."""

    id: str
    created_at: datetime
    state: OwnHeadState
    model: str

    @property
    def is_compared(self) -> bool:
        return self.state is not OwnHeadState.TOO_FEW


class TriedHead(NamedTuple):
    """`weights`: None unless the head is to be used."""

    held_back: HeldBackCount
    state: OwnHeadState
    weights: bytes | None = None


class TriesHeads(Protocol):
    """Fits and compares heads for the classifier with this fingerprint."""

    @property
    def model(self) -> str: ...

    async def tried(self, lessons: Sequence[Lesson]) -> TriedHead: ...


def adopted(held_back: HeldBackCount) -> OwnHeadState:
    """Return whether a head is used: it must be right alone more often than the shared one by two
    standard errors, which chance alone does in one of forty comparisons."""
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
    """Return whether a fit may say something new.

    `decided`: when each of the client's lessons was. A verdict on a saved case is lost with each
    new version, so a version lasts until one lesson in twenty is another, or for 30 days.
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
