"""Guarding: the guards' verdict on a draft before it is sent, and its correction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import BrainAnswer, BrainRequest
from domain.agent.brain_context import BrainContext
from domain.agent.doubts import doubt_beside_words, doubt_of
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.cut import cut_answer
from domain.agent.grounding.grounding import guard
from domain.agent.guard_finding import GuardFinding
from domain.agent.model_brain import DraftCheck, Lookups
from domain.agent.plan import ON_ORDERS, PlannedAction
from domain.agent.policy import judge
from domain.agent.policy_context import PolicyContext
from domain.agent.policy_decision import Judgement
from domain.agent.size_limits import others_turn

# An answer to several requests is not cut, because the removed sentence may be the only answer to
# one of them.
_INTENTS_TO_CUT: Final = 1


@dataclass(frozen=True, slots=True)
class GuardedAnswer:
    """A draft after the guards. `doubt` is the reason why a human must review it, or None.
    `findings` also contains the rejected words that were corrected."""

    answer: BrainAnswer
    doubt: EscalationReason | None
    findings: tuple[GuardFinding, ...] = ()


def draft_check(
    context: BrainContext, policy_context: PolicyContext, lookups: Lookups
) -> DraftCheck:
    """Return the check of a draft for a brain that can correct it. A draft may cite everything
    that `lookups` have found by then."""

    async def check(answer: BrainAnswer) -> tuple[GuardFinding, ...]:
        await others_turn(answer.response)
        judgement = judge(policy_context, answer.classification, answer.proposals, answer.intents)
        if not _is_correctable(policy_context, answer, judgement):
            return ()
        if doubt_beside_words(context, answer, judgement.plan) is not None:
            return ()
        return guard(answer, judgement.plan, lookups.request)(answer.response)

    return check


def guarded(
    context: BrainContext,
    policy_context: PolicyContext,
    request: BrainRequest,
    answer: BrainAnswer,
    judgement: Judgement,
) -> GuardedAnswer:
    """Return a draft with the guards' verdict. If a model's draft fails only because of sentences
    without a source, remove them, provided that the remaining text makes sense on its own."""
    plan = judgement.plan
    if not plan:
        return GuardedAnswer(answer, None, answer.repaired)
    doubt = doubt_of(context, request, answer, plan)
    if doubt is None:
        return GuardedAnswer(answer, None, answer.repaired)
    check = guard(answer, plan, request)
    if _may_be_cut(context, policy_context, answer, judgement):
        cut = cut_answer(answer.response, answer.language, request.brand_name, check)
        rest = None if cut is None else answer.model_copy(update={"response": cut.text})
        if cut and rest and doubt_of(context, request, rest, plan) is None:
            return GuardedAnswer(rest, None, (*answer.repaired, *cut.findings))
    return GuardedAnswer(answer, doubt, (*answer.repaired, *check(answer.response)))


def _may_be_cut(
    context: BrainContext,
    policy_context: PolicyContext,
    answer: BrainAnswer,
    judgement: Judgement,
) -> bool:
    return (
        _is_correctable(policy_context, answer, judgement)
        and answer.prompt_version is not None
        and len(answer.intents) <= _INTENTS_TO_CUT
        and not _changes_order(judgement.plan)
        and doubt_beside_words(context, answer, judgement.plan) is None
    )


def _is_correctable(
    policy_context: PolicyContext, answer: BrainAnswer, judgement: Judgement
) -> bool:
    """Return True if the draft would be sent if its words passed the guards."""
    return bool(
        judgement.plan
        and answer.response
        and answer.doubt is None
        and judgement.doubt is None
        and judgement.question is None
        and not judgement.refused
        and not policy_context.unsafe
    )


def _changes_order(plan: Sequence[PlannedAction]) -> bool:
    return any(action.kind in ON_ORDERS for action in plan)
