"""The address request: a reply that asks for a verification code.

Sent when a message is about an order and the sender has not verified the claimed email address. The
reply reveals nothing about that address.
"""

from domain.agent import wording
from domain.agent.brain import SETTLED_BY, BrainAnswer, Category, Language
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import REPLIES
from domain.agent.policy import judge
from domain.agent.policy_context import PolicyContext
from domain.agent.policy_decision import Judgement
from domain.agent.resolved_reply import SURE, ResolvedReply
from domain.agent.speech.language import spoken_language
from domain.agent.speech.reading import spoken_request
from domain.agent.speech.request import Standing
from domain.intake.address_claim import can_be_proved
from domain.intake.order_number import speaks_of_order
from domain.intake.shop_question import asks_of_shop

# If one of these reasons requires a human to see a message, its sender is not asked for a code.
_FOR_PEOPLE = frozenset({EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT})


def address_request(context: BrainContext, policy_context: PolicyContext) -> ResolvedReply | None:
    """Return the reply that requests a verification code, or None if a brain should answer the
    message.

    A code is requested if the message is plainly about an order or contains a wrong code. The
    claimed address is never looked up.
    """
    event = context.event
    asks = bool(event.order_numbers) or spoken_request(event.text).standing is not Standing.NONE
    if event.code_refused or (context.has_shop and asks and speaks_of_order(event)):
        return _request(context, policy_context)
    return None


def instead_of_people(
    context: BrainContext, policy_context: PolicyContext, answer: BrainAnswer, judgement: Judgement
) -> ResolvedReply | None:
    """Return the reply that requests a verification code instead of sending the answer to human
    review.

    Return None if the answer needs no review, or needs one even with a verified sender.
    """
    is_unsure = answer.doubt is not None or judgement.doubt is not None or judgement.refused
    if not is_unsure or answer.doubt in _FOR_PEOPLE or judgement.doubt in _FOR_PEOPLE:
        return None
    if not (context.has_shop and speaks_of_order(context.event)) or asks_of_shop(context.event):
        return None
    return _request(context, policy_context)


def _request(context: BrainContext, policy_context: PolicyContext) -> ResolvedReply | None:
    event = context.event
    if not can_be_proved(event) or policy_context.unsafe:
        return None
    language = _language(context)
    judgement = judge(policy_context, Category.ORDER_STATUS, ())
    if not judgement.plan or judgement.plan[-1].kind not in REPLIES:
        return None  # Do not replace a reply sent by a human.
    *before, reply = judgement.plan
    plan = (*before, reply.model_copy(update={"mails_code": True}))
    words = wording.code_request(language, context.brand_name, refused=event.code_refused)
    answer = BrainAnswer(
        classification=Category.ORDER_STATUS,
        confidence=SURE,
        language=language,
        response=words,
        model=SETTLED_BY,
    )
    return ResolvedReply(answer, judgement.model_copy(update={"plan": plan}))


def _language(context: BrainContext) -> Language:
    spoken = spoken_language(context.event.words)
    match spoken:
        case "fr" | "en":
            return context.thread.language or spoken if context.event.code_refused else spoken
        case _:
            return context.thread.language or "en"
