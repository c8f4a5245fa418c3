"""The report on shadow mode: how often the agent would have answered as people did, and whether
that is enough to go live."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.grounding.facts import FactKind
from domain.learning.comparison import PeopleDid
from domain.learning.intervals import wilson

ENOUGH_COMPARED: Final = 50
"""Answers that the agent would have sent by itself, compared with what people sent."""

ENOUGH_AGREEMENT: Final = 0.9
"""The lower end of the interval of their agreement."""

MAX_EXAMPLES: Final = 10


class NotReady(StrEnum):
    """Why a playbook should stay in shadow mode."""

    TOO_FEW_COMPARED = "too_few_compared"
    AGREEMENT_TOO_LOW = "agreement_too_low"
    MONEY_DIFFERS = "money_differs"


class Agreement(BaseModel):
    """`agreed` of `compared`, as a share with its 95 % interval (Wilson); the share is None where
    nothing was compared."""

    model_config = ConfigDict(frozen=True)

    agreed: int
    compared: int
    share: float | None
    low: float
    high: float

    @classmethod
    def of(cls, agreed: int, compared: int) -> "Agreement":
        interval = wilson(agreed, compared)
        return cls(
            agreed=agreed,
            compared=compared,
            share=agreed / compared if compared else None,
            low=interval.low,
            high=interval.high,
        )


class ClassCounts(BaseModel):
    """What was counted of one class. `kept`: all messages that the agent thought about. `settled`:
    those that people have dealt with, of which the agent would have answered `answers`, left
    `silences` alone and asked people about `reviews`. `expired`: nobody decided.

    `agreed` and `disagreed`: as `Comparison.agrees`. `conflicts`: messages where a fact differs.
    """

    model_config = ConfigDict(frozen=True)

    classification: str
    kept: int = 0
    settled: int = 0
    expired: int = 0
    answers: int = 0
    silences: int = 0
    reviews: int = 0
    agreed: int = 0
    disagreed: int = 0
    conflicts: int = 0
    money_differs: int = 0
    with_similarity: int = 0
    similarity_sum: float = 0

    @property
    def agreement(self) -> Agreement:
        return Agreement.of(self.agreed, self.agreed + self.disagreed)

    @property
    def mean_similarity(self) -> float | None:
        return self.similarity_sum / self.with_similarity if self.with_similarity else None


class ShadowExample(BaseModel):
    """One message: what the agent would have written, and what people wrote."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    classification: str
    did: PeopleDid
    draft: str
    sent: str
    agrees: bool | None
    similarity: float | None
    conflicts: tuple[FactKind, ...] = ()
    created_at: datetime


class ShadowReport(BaseModel):
    """Of one version of a playbook; None: it was never in shadow mode. `waiting`: people have not
    dealt with them yet, or the message joined another review."""

    model_config = ConfigDict(frozen=True)

    playbook_id: str
    version: int | None
    total: ClassCounts
    classes: tuple[ClassCounts, ...]
    conflicts: dict[FactKind, int] = Field(default={})
    examples: tuple[ShadowExample, ...] = ()

    @property
    def waiting(self) -> int:
        return self.total.kept - self.total.settled

    @property
    def not_ready(self) -> tuple[NotReady, ...]:
        """Why it should not go live yet; empty: nothing speaks against it."""
        agreement = self.total.agreement
        wrong = {
            NotReady.TOO_FEW_COMPARED: agreement.compared < ENOUGH_COMPARED,
            NotReady.AGREEMENT_TOO_LOW: agreement.low < ENOUGH_AGREEMENT,
            NotReady.MONEY_DIFFERS: self.total.money_differs > 0,
        }
        return tuple(reason for reason, holds in wrong.items() if holds)

    @property
    def ready(self) -> bool:
        return not self.not_ready


def totalled(classes: Sequence[ClassCounts]) -> ClassCounts:
    """The counts of all classes as those of one without a name."""
    counted = [name for name in ClassCounts.model_fields if name != "classification"]
    sums = {name: sum(getattr(one, name) for one in classes) for name in counted}
    return ClassCounts(classification="", **sums)
