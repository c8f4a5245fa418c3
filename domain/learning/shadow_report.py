"""The shadow-mode report: how often the agent agrees with human agents, and whether a playbook can
go live."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.grounding.facts import FactKind
from domain.learning.comparison import PeopleDid
from domain.learning.intervals import wilson

ENOUGH_COMPARED: Final = 50
"""Minimum number of compared messages that the agent would have answered automatically. Below it, a
playbook should stay in shadow mode."""

ENOUGH_AGREEMENT: Final = 0.9
"""Minimum lower bound of the agreement interval. Below it, a playbook should stay in shadow mode.
"""

MAX_EXAMPLES: Final = 10


class NotReady(StrEnum):
    """The reason why a playbook should stay in shadow mode."""

    TOO_FEW_COMPARED = "too_few_compared"
    AGREEMENT_TOO_LOW = "agreement_too_low"
    MONEY_DIFFERS = "money_differs"


class Agreement(BaseModel):
    """The share of comparisons in which the agent and human agents agreed, with its 95 % Wilson
    interval. `share`: `agreed` divided by `compared`, or None if nothing was compared."""

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
    """The counts of messages in one category.

    - `kept`: processed by the agent.
    - `settled`: handled by human agents.
    - `answers`, `silences`, `reviews`: the settled messages, by the agent's own decision.
    - `expired`: reviews that expired without a decision.
    - `agreed`, `disagreed`: messages for which `Comparison.agrees` is True or False.
    - `conflicts`: messages with a conflicting fact.
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
    """An example of a message, with the agent's draft and the text that human agents sent."""

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
    """The shadow-mode report for one version of a playbook, or None if it was never in shadow mode.
    `waiting` counts messages not handled yet, or added to another review."""

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
        """Return the reasons for keeping the playbook in shadow mode, or an empty tuple if it can
        go live."""
        agreement = self.total.agreement
        wrong = {
            NotReady.TOO_FEW_COMPARED: agreement.compared < ENOUGH_COMPARED,
            NotReady.AGREEMENT_TOO_LOW: agreement.low < ENOUGH_AGREEMENT,
            NotReady.MONEY_DIFFERS: self.total.money_differs > 0,
        }
        return tuple(reason for reason, holds in wrong.items() if holds)

    @property
    def ready(self) -> bool:
        """Return True if the playbook can go live."""
        return not self.not_ready


def totalled(classes: Sequence[ClassCounts]) -> ClassCounts:
    """Return the sums of the counts over all categories. The result has an empty category name."""
    counted = [name for name in ClassCounts.model_fields if name != "classification"]
    sums = {name: sum(getattr(one, name) for one in classes) for name in counted}
    return ClassCounts(classification="", **sums)
