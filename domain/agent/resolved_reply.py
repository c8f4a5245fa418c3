"""Process the customer's answer to the agent's own question, or a merchant's request, without a
brain.

Only code interprets a plain yes, so that no model can misread or overlook it.
"""

from dataclasses import dataclass
from typing import Final

from domain.agent import wording
from domain.agent.blocking_condition import blocking_condition
from domain.agent.brain import SETTLED_BY, BrainAnswer, Category, Language, Proposal
from domain.agent.consent.answering import read_confirmation
from domain.agent.consent.confirmation import Assent
from domain.agent.intent import Intent
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction
from domain.agent.policy import asking, judge, resolved
from domain.agent.policy_context import PolicyContext
from domain.agent.policy_decision import Judgement
from domain.agent.proof import is_number_of
from domain.agent.speech.language import spoken_language
from domain.agent.speech.reading import spoken_request
from domain.agent.thread import PendingProposal
from domain.intake.customer_email import customer_key

SURE: Final = 0.95
"""The confidence of an answer that code resolves. It is high because the answer is a question, or
about an action that was confirmed or requested by the merchant."""


@dataclass(frozen=True, slots=True)
class ResolvedReply:
    """An answer and a judgement that code has resolved, in the format of a brain's answer and a
    policy judgement."""

    answer: BrainAnswer
    judgement: Judgement


def resolve_reply(
    policy_context: PolicyContext, brand_name: str, playbook: tuple[str, int]
) -> ResolvedReply | None:
    """Return the result for a merchant's request or an answer to the agent's question. Return None
    for any other message.

    `playbook` is an id and version. An action proposed under another version can no longer be
    confirmed.
    """
    if policy_context.unsafe or not policy_context.event.reply_allowed:
        return None
    if asked := policy_context.event.merchant_request:
        kind = ActionKind(asked.kind)
        if policy_context.rulebook.rule(kind).merchant_requests:
            return _asked_by_merchant(policy_context, kind, brand_name)
    language = policy_context.thread.language or "en"
    proposal = _standing_proposal(policy_context)
    if proposal is None:
        return _answer_to_which(policy_context, language)
    return _answer_to_proposal(policy_context, proposal, language, brand_name, playbook)


def _asked_by_merchant(
    policy_context: PolicyContext, kind: ActionKind, brand_name: str
) -> ResolvedReply:
    """Return the result for the merchant's request: the answer, and a plan with the requested
    action.

    The plan waits for human review if the order, its state or a limit blocks the action.
    """
    language = policy_context.thread.language or _language_of(policy_context)
    answer = _answer(kind, Category.REFUND_REQUEST, language)
    judgement = judge(
        policy_context, Category.REFUND_REQUEST, (Proposal(kind=kind),), answer.intents
    )
    if policy_context.order is None:
        return ResolvedReply(answer, judgement)
    words = wording.done(resolved(policy_context, kind), language, brand_name)
    return ResolvedReply(answer.model_copy(update={"response": words}), judgement)


def _language_of(policy_context: PolicyContext) -> Language:
    return "fr" if spoken_language(policy_context.event.words) == "fr" else "en"


def _standing_proposal(policy_context: PolicyContext) -> PendingProposal | None:
    """Return the thread's pending proposal if it is still valid and this message is from the same
    verified customer. Return None in all other cases."""
    proposal, event = policy_context.thread.proposal, policy_context.event
    if proposal is None or not proposal.stands_at(policy_context.now) or event.author is not None:
        return None
    if not event.may_act or event.asked_before_code:
        return None
    return proposal if proposal.customer == customer_key(event.customer_email) else None


def _answer_to_proposal(
    policy_context: PolicyContext,
    proposal: PendingProposal,
    language: Language,
    brand_name: str,
    playbook: tuple[str, int],
) -> ResolvedReply | None:
    asked, event = proposal.action, policy_context.event
    said = read_confirmation(event.text, event.order_numbers, asked)
    answer = _answer(asked.kind, proposal.category, language)
    match said.assent:
        case Assent.YES if _unchanged(policy_context, proposal, playbook):
            confirmed = policy_context.model_copy(update={"confirmed": asked.kind})
            judgement = judge(
                confirmed, proposal.category, (Proposal(kind=asked.kind),), answer.intents
            )
            words = wording.done(asked, language, brand_name)
            return ResolvedReply(answer.model_copy(update={"response": words}), judgement)
        case Assent.NO:
            words = wording.declined(asked, language, brand_name)
            judgement = judge(policy_context, proposal.category, (), answer.intents)
            return ResolvedReply(answer.model_copy(update={"response": words}), judgement)
        case Assent.CORRECTION if said.number is None:
            return _asked(answer, asking(policy_context, asked.kind, None))
        case Assent.YES | Assent.CORRECTION:
            return _asked(answer, _asking_again(policy_context, asked.kind))
        case _:
            return None


def _answer_to_which(policy_context: PolicyContext, language: Language) -> ResolvedReply | None:
    """Return the question of whether to act on the order that the customer just mentioned, or None
    if there is no such order."""
    kind = policy_context.thread.asked_number
    if kind is None or kind not in ON_ORDERS:
        return None
    if len(policy_context.event.order_numbers) != 1:
        return None
    if spoken_request(policy_context.event.text).vetoes:
        return None
    answer = _answer(kind, Category.REFUND_REQUEST, language)
    return _asked(answer, _asking_again(policy_context, kind))


def _asking_again(policy_context: PolicyContext, kind: ActionKind) -> Judgement | None:
    """Return the judgement with a new question about the order just looked up. Return None if the
    customer meant another order, or if the action is blocked."""
    order, named = policy_context.order, policy_context.event.order_numbers
    if order is None or blocking_condition(policy_context, kind) is not None:
        return None
    meant = named[0] if named else policy_context.thread.order_number
    if len(named) > 1 or meant is None or not is_number_of(meant, order):
        return None
    return asking(policy_context, kind, resolved(policy_context, kind))


def _unchanged(
    policy_context: PolicyContext, proposal: PendingProposal, playbook: tuple[str, int]
) -> bool:
    """Return True if the order, the amount and the playbook's rules are the same as when the
    customer was asked."""
    asked = proposal.action
    if blocking_condition(policy_context, asked.kind) is not None:
        return False
    now = resolved(policy_context, asked.kind)
    return _facts(now) == _facts(asked) and playbook == (
        proposal.playbook_id,
        proposal.playbook_version,
    )


def _facts(action: PlannedAction) -> PlannedAction:
    return action.model_copy(update={"warrant": None})


def _asked(answer: BrainAnswer, judgement: Judgement | None) -> ResolvedReply | None:
    return None if judgement is None else ResolvedReply(answer, judgement)


def _answer(kind: ActionKind, category: Category, language: Language) -> BrainAnswer:
    return BrainAnswer(
        classification=category,
        intents=(Intent(kind.value),),
        confidence=SURE,
        language=language,
        model=SETTLED_BY,
    )
