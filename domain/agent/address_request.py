"""The address request: the agent answers a claim about an order by asking for a code. The answer
does not depend on the claimed address."""

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

# A request for a person and an attempt to command the agent go to people.
_FOR_PEOPLE = frozenset({EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT})


def address_request(material: Material, situation: Situation) -> Settled | None:
    """Return the request for a code, or None if a brain should read the message first.

    The message plainly concerns an order, or brought a wrong code. The claimed address and its
    orders are not looked up.
    """
    event = material.event
    asks = bool(event.order_numbers) or spoken_request(event.text).standing is not Standing.NONE
    if event.code_refused or (material.has_shop and asks and speaks_of_order(event)):
        return _request(material, situation)
    return None


def instead_of_people(
    material: Material, situation: Situation, answer: BrainAnswer, judgement: Judgement
) -> Settled | None:
    """Return the request for a code instead of an answer that goes to people.

    Return None if the brain's answer stands, or if people are asked for.
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
        return None  # an answer that people send is not replaced
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
