"""The address request: a reply to an order question from an unproved address, asking for a code.

The reply does not depend on the claimed address, so it reveals nothing about it.
"""

from domain.agent import wording
from domain.agent.brain import BrainAnswer, Category, Language
from domain.agent.escalation_reason import EscalationReason
from domain.agent.material import Material
from domain.agent.plan import REPLIES
from domain.agent.policy import judge
from domain.agent.settling import SETTLED_BY, SURE, Settled
from domain.agent.situation import Situation
from domain.agent.speech.language import spoken_language
from domain.agent.speech.reading import spoken_request
from domain.agent.speech.request import Standing
from domain.agent.verdict import Judgement
from domain.intake.address_claim import can_be_proved
from domain.intake.order_number import speaks_of_order

# Requests for a person and prompt injections go to people, not to a request for a code.
_FOR_PEOPLE = frozenset({EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT})


def address_request(material: Material, situation: Situation) -> Settled | None:
    """Return the request for a code, or None if the message should go to a brain.

    The code is requested if the message plainly concerns an order, or contains a wrong code.
    Neither the claimed address nor its orders are looked up.
    """
    event = material.event
    asks = bool(event.order_numbers) or spoken_request(event.text).standing is not Standing.NONE
    if event.code_refused or (material.has_shop and asks and speaks_of_order(event)):
        return _request(material, situation)
    return None


def instead_of_people(
    material: Material, situation: Situation, answer: BrainAnswer, judgement: Judgement
) -> Settled | None:
    """Return the request for a code, to replace an answer that would go to people.

    Return None if the brain's answer stands, or if the message must go to people.
    """
    is_unsure = answer.doubt is not None or judgement.doubt is not None or judgement.refused
    if not is_unsure or answer.doubt in _FOR_PEOPLE or judgement.doubt in _FOR_PEOPLE:
        return None
    if not (material.has_shop and speaks_of_order(material.event)):
        return None
    return _request(material, situation)


def _request(material: Material, situation: Situation) -> Settled | None:
    event = material.event
    if not can_be_proved(event) or situation.unsafe:
        return None
    language = _language(material)
    judgement = judge(situation, Category.ORDER_STATUS, ())
    if not judgement.plan or judgement.plan[-1].kind not in REPLIES:
        return None  # a reply that people send is not replaced
    *before, reply = judgement.plan
    plan = (*before, reply.model_copy(update={"mails_code": True}))
    words = wording.code_request(language, material.brand_name, refused=event.code_refused)
    answer = BrainAnswer(
        classification=Category.ORDER_STATUS,
        confidence=SURE,
        language=language,
        response=words,
        model=SETTLED_BY,
    )
    return Settled(answer, judgement.model_copy(update={"plan": plan}))


def _language(material: Material) -> Language:
    spoken = spoken_language(material.event.words)
    match spoken:
        case "fr" | "en":
            return material.thread.language or spoken if material.event.code_refused else spoken
        case _:
            return material.thread.language or "en"
