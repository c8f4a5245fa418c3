"""The comparison: what a playbook in shadow mode would have done, beside what people did."""

import re
from collections.abc import Iterable
from enum import StrEnum
from html import unescape
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.facts import Fact, FactKind, facts
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction
from domain.agent.thinking import ThinkingResult
from domain.core.money import Money
from domain.learning.similarity import READ, SAME_MEANING, similarity

MAX_SENT: Final = 20_000
"""Characters that are kept of what people sent."""

_TAG: Final = re.compile(r"<[^<>]{1,2000}>")
_MONEY: Final = frozenset({FactKind.MONEY, FactKind.SHARE})


class WouldDo(StrEnum):
    """`silent`: the message asked for no answer, and the agent would have left it."""

    ANSWER = "answer"
    SILENT = "silent"
    REVIEW = "review"


class PeopleDid(StrEnum):
    """`answered`: with their own words, in a review. `answered_elsewhere`: in the helpdesk.
    `handed_over`: they rejected the review, and what they wrote is not known. `expired`: nobody
    decided."""

    ANSWERED = "answered"
    ANSWERED_ELSEWHERE = "answered_elsewhere"
    HANDED_OVER = "handed_over"
    EXPIRED = "expired"

    @property
    def answered(self) -> bool:
        return self in (PeopleDid.ANSWERED, PeopleDid.ANSWERED_ELSEWHERE)


class ShadowThought(BaseModel):
    """What the agent would have done. `reason`: why people would have looked first; None where the
    agent would have gone on by itself."""

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
        if self.reason is not None:
            return WouldDo.REVIEW
        return WouldDo.ANSWER if self.plan and self.draft.strip() else WouldDo.SILENT


class OrderEffect(BaseModel):
    """Money or goods that were moved. `amount`: None where it is not known."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    amount: Money | None = None


class Comparison(BaseModel):
    """How near the two are; None where one of them is not known.

    `would`: what the agent would have done. `decision`: whether people answered where the agent
    would have answered, and handed over where it would have asked. `actions`: whether the same
    money and goods were moved. `facts`: whether amounts, dates, periods, numbers and links that
    both name are the same; `conflicts`: the kinds that are not. `similarity`: 0 to 1, of the two
    texts. `agrees`: whether the agent could have answered by itself as people did; None where it
    would not have answered.
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
        return self.actions is False or not _MONEY.isdisjoint(self.conflicts)


def compare_with_people(
    thought: ShadowThought,
    did: PeopleDid,
    sent: str | None,
    effects: Iterable[OrderEffect] = (),
) -> Comparison:
    """Pure, and bounded by what is read of both texts. `sent`: what people wrote, None if it is not
    known. `effects`: what is known to have been done to the order since; people may have acted
    where nobody sees it, so none is no knowledge."""
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
    """A helpdesk's message without its HTML."""
    return " ".join(unescape(_TAG.sub(" ", text[:MAX_SENT])).split())


def _decision(would: WouldDo, did: PeopleDid) -> bool | None:
    """A question to people that people answered proves nothing: the answer came from them in
    either case. Silence where nobody's words are known proves nothing either."""
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
    """Whether both name a fact of one kind, and the kinds where each names one that the other does
    not: more facts on one side are no conflict."""
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
