"""Guard findings: the words of a draft that the guards reject, with the reason and the outcome."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field


class FindingReason(StrEnum):
    """The reason why a guard rejects words of a draft. The values are stored and shown.

    - `no_source`: no source states the fact.
    - `not_cited`: the draft states a fact but cites no source.
    - `misquoted`: the named source does not contain the quoted words.
    - `not_supported`: the quoted words do not state what the draft states.
    - `contradicted`: the quoted words, or the order, state the opposite.
    - `placeholder`: a template's placeholder was not filled.
    - `finished`: the draft reports an action as done that is not in the plan.
    - `promise`: neither the plan nor a source contains the promised action.
    - `liability`, `discount`, `legal`: the draft admits a fault, grants a discount or states the
      law without a source.
    """

    NO_SOURCE = "no_source"
    NOT_CITED = "not_cited"
    MISQUOTED = "misquoted"
    NOT_SUPPORTED = "not_supported"
    CONTRADICTED = "contradicted"
    PLACEHOLDER = "placeholder"
    FINISHED = "finished"
    PROMISE = "promise"
    LIABILITY = "liability"
    DISCOUNT = "discount"
    LEGAL = "legal"


class FindingState(StrEnum):
    """The outcome of a finding. `repaired`: the model rewrote the draft. `cut`: the sentence was
    removed. `held`: a human reviews the draft."""

    REPAIRED = "repaired"
    CUT = "cut"
    HELD = "held"


class GuardFinding(BaseModel):
    """Words of a draft that a guard rejects. `words`: in lower case and without accents, or the
    beginning of the sentence."""

    model_config = ConfigDict(frozen=True)

    words: str = Field(description="Rejected words of the draft, or the sentence's beginning.")
    reason: FindingReason
    state: FindingState = FindingState.HELD

    def ended(self, state: FindingState) -> Self:
        return self.model_copy(update={"state": state})


def repaired(
    before: Iterable[GuardFinding], after: Iterable[GuardFinding]
) -> tuple[GuardFinding, ...]:
    """Return the findings of a first draft that its rewritten version no longer has."""
    left = {(one.words, one.reason) for one in after}
    gone = (one for one in before if (one.words, one.reason) not in left)
    return tuple(one.ended(FindingState.REPAIRED) for one in gone)
