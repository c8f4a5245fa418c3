"""Settling: handle the customer's answer to the agent's own question without a brain.

Only code reads a plain yes, so that no model can widen or miss it.
"""

from dataclasses import dataclass
from typing import Final

from domain.agent import wording
from domain.agent.brain import BrainAnswer, Category, Language, Proposal
from domain.agent.consent.answering import read_confirmation
from domain.agent.consent.confirmation import Assent
from domain.agent.intent import Intent
from domain.agent.obstacle import obstacle
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy import asking, judge, resolved
from domain.agent.proof import is_number_of
from domain.agent.situation import Situation
from domain.agent.speech.language import spoken_language
from domain.agent.speech.reading import spoken_request
from domain.agent.thread import PendingProposal
from domain.agent.verdict import Judgement
from domain.intake.customer_email import customer_key

SETTLED_BY: Final = "rules"
SURE: Final = 0.95
"""Confidence of a settled answer: a question asserts and does nothing, and a yes answers a
question."""


@dataclass(frozen=True, slots=True)
class Settled:
    """An answer and a judgement, in the form that a brain and the policy produce."""

    answer: BrainAnswer
    judgement: Judgement


def settle(situation: Situation, brand_name: str, playbook: tuple[str, int]) -> Settled | None:
    """Return the result for a merchant's request or an answer to the agent's question, or None.

    `playbook`: its id and version; a proposal made under other rules is void.
    """
    if situation.unsafe or not situation.event.reply_allowed:
        return None
    if asked := situation.event.merchant_request:
        kind = ActionKind(asked.kind)
        if situation.rulebook.rule(kind).merchant_requests:
            return _asked_by_merchant(situation, kind, brand_name)
    language = situation.thread.language or "en"
    proposal = _standing_proposal(situation)
    if proposal is None:
        return _answer_to_which(situation, language)
    return _answer_to_proposal(situation, proposal, language, brand_name, playbook)


def _asked_by_merchant(situation: Situation, kind: ActionKind, brand_name: str) -> Settled:
    """Return the plan for the merchant's request.

    The plan waits for a person if the order, its state or a limit blocks the action.
    """
    language = situation.thread.language or _language_of(situation)
    answer = _answer(kind, Category.REFUND_REQUEST, language)
    judgement = judge(situation, Category.REFUND_REQUEST, (Proposal(kind=kind),), answer.intents)
    if situation.order is None:
        return Settled(answer, judgement)
    words = wording.done(resolved(situation, kind), language, brand_name)
    return Settled(answer.model_copy(update={"response": words}), judgement)


def _language_of(situation: Situation) -> Language:
    return "fr" if spoken_language(situation.event.words) == "fr" else "en"


def _standing_proposal(situation: Situation) -> PendingProposal | None:
    """Return the proposal if it is still valid and the same verified customer answers it."""
    proposal, event = situation.thread.proposal, situation.event
    if proposal is None or not proposal.stands_at(situation.now) or event.author is not None:
        return None
    if not event.may_act or event.asked_before_code:
        return None
    return proposal if proposal.customer == customer_key(event.customer_email) else None


def _answer_to_proposal(
    situation: Situation,
    proposal: PendingProposal,
    language: Language,
    brand_name: str,
    playbook: tuple[str, int],
) -> Settled | None:
    asked, event = proposal.action, situation.event
    said = read_confirmation(event.text, event.order_numbers, asked)
    answer = _answer(asked.kind, proposal.category, language)
    match said.assent:
        case Assent.YES if _unchanged(situation, proposal, playbook):
            confirmed = situation.model_copy(update={"confirmed": asked.kind})
            judgement = judge(
                confirmed, proposal.category, (Proposal(kind=asked.kind),), answer.intents
            )
            words = wording.done(asked, language, brand_name)
            return Settled(answer.model_copy(update={"response": words}), judgement)
        case Assent.NO:
            words = wording.declined(asked, language, brand_name)
            judgement = judge(situation, proposal.category, (), answer.intents)
            return Settled(answer.model_copy(update={"response": words}), judgement)
        case Assent.CORRECTION if said.number is None:
            return _asked(answer, asking(situation, asked.kind, None))
        case Assent.YES | Assent.CORRECTION:
            return _asked(answer, _asking_anew(situation, asked.kind))
        case _:
            return None


def _answer_to_which(situation: Situation, language: Language) -> Settled | None:
    """Ask a customer who has just named an order whether to act on it."""
    kind = situation.thread.asked_number
    if kind is None or len(situation.event.order_numbers) != 1:
        return None
    if spoken_request(situation.event.text).vetoes:
        return None
    answer = _answer(kind, Category.REFUND_REQUEST, language)
    return _asked(answer, _asking_anew(situation, kind))


def _asking_anew(situation: Situation, kind: ActionKind) -> Judgement | None:
    """Return the question about the order just looked up, or None if the customer did not name
    it."""
    order, named = situation.order, situation.event.order_numbers
    if order is None or obstacle(situation, kind) is not None:
        return None
    meant = named[0] if named else situation.thread.order_number
    if len(named) > 1 or meant is None or not is_number_of(meant, order):
        return None
    return asking(situation, kind, resolved(situation, kind))


def _unchanged(situation: Situation, proposal: PendingProposal, playbook: tuple[str, int]) -> bool:
    """Return whether order, amount and rules are the same as when the customer was asked."""
    asked = proposal.action
    if obstacle(situation, asked.kind) is not None:
        return False
    now = resolved(situation, asked.kind)
    return _facts(now) == _facts(asked) and playbook == (
        proposal.playbook_id,
        proposal.playbook_version,
    )


def _facts(action: PlannedAction) -> PlannedAction:
    return action.model_copy(update={"warrant": None})


def _asked(answer: BrainAnswer, judgement: Judgement | None) -> Settled | None:
    return None if judgement is None else Settled(answer, judgement)


def _answer(kind: ActionKind, category: Category, language: Language) -> BrainAnswer:
    return BrainAnswer(
        classification=category,
        intents=(Intent(kind.value),),
        confidence=SURE,
        language=language,
        model=SETTLED_BY,
    )
