"""The address request: a claim about an order is answered by a request for a code, and by nothing
that depends on the address."""

from domain.agent import wording
from domain.agent.brain import BrainAnswer, Category, Language
from domain.agent.consent.likely_request import likely_request
from domain.agent.escalation_reason import EscalationReason
from domain.agent.language import spoken_language
from domain.agent.material import Material
from domain.agent.plan import REPLIES
from domain.agent.policy import judge
from domain.agent.settling import SETTLED_BY, SURE, Settled
from domain.agent.situation import Situation
from domain.agent.verdict import Judgement
from domain.intake.address_claim import can_be_proved
from domain.intake.order_number import speaks_of_order

# The author asked for a person, or tries to command the agent.
_FOR_PEOPLE = frozenset({EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT})


def address_request(material: Material, situation: Situation) -> Settled | None:
    """The request for a code, where the message plainly concerns an order, or brought a wrong code.

    None for a message that knowledge may answer: a brain reads it first. Whether the address is
    known, or has orders, is looked up nowhere.
    """
    event = material.event
    asks = bool(event.order_numbers) or likely_request(event.text) is not None
    if event.code_refused or (material.has_shop and asks and speaks_of_order(event)):
        return _request(material, situation)
    return None


def instead_of_people(
    material: Material, situation: Situation, answer: BrainAnswer, judgement: Judgement
) -> Settled | None:
    """The same in place of an answer that a brain could not give without the order; None where it
    could, or where people are asked for."""
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
        return None  # an answer that people send is theirs
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
