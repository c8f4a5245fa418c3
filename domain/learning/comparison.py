"""Compare the agent's result in shadow mode with the actions of human agents."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.facts import Fact, FactKind, facts
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction
from domain.agent.thinking_result import ThinkingResult
from domain.core.money import Money
from domain.core.text import unescaped
from domain.learning.similarity import READ, SAME_MEANING, similarity

MAX_SENT: Final = 20_000
"""Maximum number of characters stored from a text that a human agent sent."""

_TAG: Final = re.compile(r"<[^<>]{1,2000}>")
_MONEY: Final = frozenset({FactKind.MONEY, FactKind.SHARE})


class WouldDo(StrEnum):
    """The action that the agent would have taken. `answer`: send an answer. `silent`: send nothing
    because the message needed no answer. `review`: request human review of the draft."""

    ANSWER = "answer"
    SILENT = "silent"
    REVIEW = "review"


class PeopleDid(StrEnum):
    """The action that human agents took.

    - `answered`: they sent their own text in a review.
    - `answered_elsewhere`: they answered in the helpdesk.
    - `handed_over`: they rejected the review.
    - `expired`: the review expired without a decision.
    """

    ANSWERED = "answered"
    ANSWERED_ELSEWHERE = "answered_elsewhere"
    HANDED_OVER = "handed_over"
    EXPIRED = "expired"

    @property
    def answered(self) -> bool:
        """Return True if human agents answered the customer, in a review or in the helpdesk."""
        return self in (PeopleDid.ANSWERED, PeopleDid.ANSWERED_ELSEWHERE)


class ShadowThought(BaseModel):
    """The agent's result in shadow mode. `reason`: the reason why a review would have been
    required, or None if the agent would have continued automatically."""

    model_config = ConfigDict(frozen=True)

    classification: Category
    confidence: float = Field(ge=0, le=1)
    reason: EscalationReason | None = None
    draft: str = ""
    plan: tuple[PlannedAction, ...] = ()

    @classmethod
    def of(cls, thought: ThinkingResult, reason: EscalationReason | None) -> Self:
        return cls(
            classification=thought.answer.classification,
            confidence=thought.answer.confidence,
            reason=reason,
            draft=thought.text,
            plan=thought.plan,
        )

    @property
    def would(self) -> WouldDo:
        """Return the action that the agent would have taken."""
        if self.reason is not None:
            return WouldDo.REVIEW
        return WouldDo.ANSWER if self.plan and self.draft.strip() else WouldDo.SILENT


class OrderEffect(BaseModel):
    """An effect on an order that moves money or goods. `amount` is the amount moved, or None if
    unknown."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    amount: Money | None = None


class Comparison(BaseModel):
    """The agreement between the agent and human agents for one message. None means unknown.

    - `decision`: both sides decided alike about answering or reviewing.
    - `actions`: both would have moved the same money and goods.
    - `facts`: the amounts, dates, periods, numbers and links in both texts agree.
    - `conflicts`: the kinds of facts that differ.
    - `similarity`: the similarity of the texts, from 0 to 1.
    - `agrees`: the humans gave the answer that the agent would have sent without review. None if
      the agent would have requested one.
    """

    model_config = ConfigDict(frozen=True)

    would: WouldDo
    decision: bool | None = None
    actions: bool | None = None
    facts: bool | None = None
    conflicts: tuple[FactKind, ...] = ()
    similarity: float | None = Field(default=None, ge=0, le=1)
    agrees: bool | None = None

    @property
    def money_differs(self) -> bool:
        """Return True if the moved money or goods differ, or the amounts or percentages in the
        texts differ."""
        return self.actions is False or not _MONEY.isdisjoint(self.conflicts)


def compare_with_people(
    thought: ShadowThought,
    did: PeopleDid,
    sent: str | None,
    effects: Iterable[OrderEffect] = (),
) -> Comparison:
    """Compare the agent's result with the actions of human agents. Run time is bounded.

    `sent` is the text that they sent, or None. `effects` are the known effects on the order. An
    empty list is no evidence that humans took no action, because they may act outside the service.
    """
    words = plain_words(sent or "")
    known = bool(words and thought.draft.strip())
    shared, conflicts = _facts(thought.draft, words) if known else (False, ())
    compared = Comparison(
        would=thought.would,
        decision=_decision(thought.would, did),
        actions=_actions(thought.plan, tuple(effects)),
        facts=not conflicts if shared else None,
        conflicts=conflicts,
        similarity=similarity(thought.draft, words) if known else None,
    )
    return compared.model_copy(update={"agrees": _agrees(thought.would, compared)})


def plain_words(text: str) -> str:
    """Return the text of a helpdesk message on one line, without HTML tags."""
    return " ".join(unescaped(_TAG.sub(" ", text[:MAX_SENT])).split())


def _decision(would: WouldDo, did: PeopleDid) -> bool | None:
    """Return whether the decisions of the agent and the human agents agree, or None if unknown.

    A human answer after a requested review is not evidence of a difference, because humans would
    have answered anyway. The agent's silence counts only if they answered.
    """
    match would:
        case WouldDo.ANSWER if did is not PeopleDid.EXPIRED:
            return did.answered
        case WouldDo.SILENT if did.answered:
            return False
        case WouldDo.REVIEW if did is PeopleDid.HANDED_OVER:
            return True
        case _:
            return None


def _agrees(would: WouldDo, compared: Comparison) -> bool | None:
    if would is WouldDo.REVIEW or compared.decision is None:
        return None
    if not compared.decision or compared.facts is False or compared.actions is False:
        return False
    return None if compared.similarity is None else compared.similarity >= SAME_MEANING


def _actions(plan: tuple[PlannedAction, ...], effects: tuple[OrderEffect, ...]) -> bool | None:
    if not effects:
        return None
    planned = {(one.kind, one.amount) for one in plan if one.kind in ON_ORDERS}
    done = {(one.kind, one.amount) for one in effects}
    if {kind for kind, _ in planned} != {kind for kind, _ in done}:
        return False
    sums = (dict(planned), dict(done))
    return all(
        None in (sums[0][kind], sums[1][kind]) or sums[0][kind] == sums[1][kind] for kind in sums[0]
    )


def _facts(draft: str, sent: str) -> tuple[bool, tuple[FactKind, ...]]:
    """Return whether both texts state facts of a common kind, and the kinds that conflict.

    A kind conflicts if each text states a fact of it that the other lacks.
    """
    ours, theirs = facts(draft[:READ]), facts(sent[:READ])
    shared = {one.kind for one in ours} & {one.kind for one in theirs}
    conflicts = (
        kind
        for kind in FactKind
        if kind in shared and _lacks(ours, theirs, kind) and _lacks(theirs, ours, kind)
    )
    return bool(shared), tuple(conflicts)


def _lacks(some: tuple[Fact, ...], others: tuple[Fact, ...], kind: FactKind) -> bool:
    given = {key for one in others for key in one.gives}
    return any(one.kind is kind and not one.needs & given for one in some)
