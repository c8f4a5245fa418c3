"""Thinking: call a brain for a message, and turn its answer into a decision.

Runs, dry runs and the agent's tests all use this function.
"""

import dataclasses
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent import wording
from domain.agent.address_request import address_request, instead_of_people
from domain.agent.brain import Brain, BrainAnswer, BrainRequest, Category, Passage
from domain.agent.doubts import doubt_of
from domain.agent.escalation_reason import EscalationReason
from domain.agent.extent import READ_CHARS, SKIMMED_CHARS, others_turn
from domain.agent.frame import AnswerFrame
from domain.agent.intent import Intent
from domain.agent.material import Material
from domain.agent.plan import PlannedAction
from domain.agent.policy import judge, offers
from domain.agent.ports import SafetyNet
from domain.agent.safety.examined import commands, is_unsafe
from domain.agent.safety.net import SafetyGrammar
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.settling import SETTLED_BY, SURE, Settled, settle
from domain.agent.situation import Situation
from domain.agent.speech.language import spoken_language
from domain.agent.thread import Thread
from domain.agent.thread_after import language_of, thread_after
from domain.agent.verdict import Judgement
from domain.integrations.order import Order

# The intents to which a question about an action is a full answer, with the usual reasons for a
# refund. A message with any other intent needs more than the question.
_ASKED_ABOUT: Final = frozenset(
    {
        *(Intent.REFUND, Intent.CANCEL_ORDER, Intent.RETURN, Intent.REFUND_STATUS),
        *(Intent.EXCHANGE, Intent.CHARGED_WRONGLY, Intent.PARCEL_LATE, Intent.PARCEL_LOST),
        *(Intent.DAMAGED_ON_ARRIVAL, Intent.DEFECT, Intent.MISSING_ITEM, Intent.WRONG_ITEM),
        *(Intent.CHANGE_ORDER, Intent.SIZE, Intent.SERVICE_COMPLAINT, Intent.THANKS),
    }
)
_GRAMMAR: Final = SafetyGrammar()
# A request for a person and a prompt injection are not answered by a question.
_NO_QUESTION: Final = frozenset({EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT})


class Finding(BaseModel):
    """A knowledge entry that the search found.

    `left_out`: the entry contains a prompt injection, so no brain sees it. `rank`: PostgreSQL's
    search rank; higher is more relevant.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    rank: float
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class ThinkingResult:
    """The result of thinking.

    `hold`: why a human must review it, regardless of its confidence. `text`: the answer to send;
    empty if the brain's answer would promise a refused action. `doubt`: the reason to escalate if
    the confidence is below the playbook's threshold. `thread`: the state of the thread once the
    answer has reached the customer. `sensitive`: the matter because of which no brain was called.
    """

    answer: BrainAnswer
    judgement: Judgement
    findings: tuple[Finding, ...]
    hold: EscalationReason | None
    text: str
    doubt: EscalationReason | None = None
    thread: Thread = field(default_factory=Thread)
    sensitive: SensitiveMatter | None = None

    @property
    def plan(self) -> tuple[PlannedAction, ...]:
        return self.judgement.plan

    @property
    def intent(self) -> Intent | None:
        return self.answer.intents[0] if self.answer.intents else None


async def think_through(
    brain: Brain, material: Material, now: datetime, net: SafetyNet = _GRAMMAR
) -> ThinkingResult:
    """Call the brain, and evaluate its answer. Raises only the errors that the brain raises.

    Sensitive matters are not shown to a brain. An answer to the agent's own question, and a message
    that allows no reply, need no brain. `net` detects sensitive matters: by default the grammar
    alone.
    """
    is_whole = material.is_read_whole
    material = _beginning(material, READ_CHARS)
    situation = await _situation(material, now)
    if matter := _sensitive(material, net):
        return _for_people(material, situation, matter)
    if material.is_wordless:
        return _for_people(material, situation, None)
    if not material.event.reply_allowed:
        return _unanswered(material, situation)
    await others_turn(material.event.text)
    settled = settle(situation, material.brand_name, material.playbook) if is_whole else None
    settled = settled or address_request(material, situation)
    if settled is not None:
        return _result(material, settled, (), None, now)
    if not is_whole:
        material = _beginning(material, SKIMMED_CHARS)
    findings = tuple([await _finding(passage) for passage in material.passages])
    request = await _request(material, situation, findings, now)
    answer = await brain.think(request)
    await others_turn(material.event.text)
    judgement = judge(situation, answer.classification, answer.proposals, answer.intents)
    if answer.closes and not answer.proposals and not situation.unsafe:
        judgement = Judgement(plan=(), verdicts=())
    if requested := instead_of_people(material, situation, answer, judgement):
        return _result(material, requested, findings, None, now)
    doubt = doubt_of(material, request, answer, judgement.plan) if judgement.plan else None
    if not is_whole:  # a truncated message leads to no action and no question
        judgement = judgement.model_copy(update={"question": None})
        doubt = doubt or EscalationReason.LOW_CONFIDENCE
    return _result(material, Settled(answer, judgement), findings, doubt, now)


def _beginning(material: Material, chars: int) -> Material:
    """Return the material with the message cut to its first `chars` characters."""
    event = material.event
    if len(event.text) <= chars:
        return material
    part = event.model_copy(update={"text": event.text[:chars]})
    return dataclasses.replace(material, event=part)


async def _request(
    material: Material, situation: Situation, findings: tuple[Finding, ...], now: datetime
) -> BrainRequest:
    shown = {finding.id for finding in findings if not finding.left_out}
    return BrainRequest.about(
        material.event,
        brand_name=material.brand_name,
        templates=material.templates,
        passages=tuple(passage for passage in material.passages if passage.id in shown),
        # Leave out unsafe turns; a human has already seen them.
        turns=tuple([turn for turn in material.turns if not await is_unsafe(turn.body)]),
        summary=material.summary,
        instructions=material.instructions,
        order=await _readable(material.order),
        offers=offers(situation),
        today=now.date(),
        attachments=material.attachments,
        frame=material.frame or AnswerFrame.of({}, brand_name=material.brand_name),
        languages=material.languages,
        own_head=material.own_head,
    )


def _result(
    material: Material,
    settled: Settled,
    findings: tuple[Finding, ...],
    doubt: EscalationReason | None,
    now: datetime,
) -> ThinkingResult:
    answer, judgement = settled.answer, settled.judgement
    text = "" if judgement.refused else answer.response
    question = judgement.question
    if question is not None and answer.doubt in _NO_QUESTION:
        judgement = judgement.model_copy(update={"question": None})
        doubt, question = answer.doubt, None
    language = language_of(answer, material.thread)
    if question is not None:
        doubt = None if set(answer.intents) <= _ASKED_ABOUT else EscalationReason.LOW_CONFIDENCE
        text = (
            wording.which_order(language, material.brand_name)
            if question.action is None
            else wording.confirm_question(question.action, language, material.brand_name)
        )
        answer = answer.model_copy(update={"confidence": SURE, "doubt": None, "citations": ()})
    hold = judgement.doubt or doubt or _knowledge_hold(material, answer, judgement)
    if hold is None and judgement.plan and material.turns_left < 1:
        hold = EscalationReason.POLICY_RESTRICTION
    return ThinkingResult(
        answer=answer,
        judgement=judgement,
        findings=findings,
        hold=hold,
        text=text,
        doubt=_doubt(material, answer, judgement),
        thread=thread_after(material, judgement, answer, text, now).model_copy(
            update={"language": language}
        ),
    )


def _knowledge_hold(
    material: Material, answer: BrainAnswer, judgement: Judgement
) -> EscalationReason | None:
    """Return why an answer from knowledge is held, if the client requires a person for these. A
    language model composes its answers (they have a prompt version), so none of them is held."""
    if material.answers_from_knowledge or answer.prompt_version is not None:
        return None
    if not judgement.plan or not any(one.kind == "knowledge" for one in answer.citations):
        return None
    return EscalationReason.POLICY_RESTRICTION


def _doubt(
    material: Material, answer: BrainAnswer, judgement: Judgement
) -> EscalationReason | None:
    """Return the brain's doubt. Without one, an empty plan counts as low confidence, unless the
    message needs or allows no reply."""
    if judgement.plan:
        return answer.doubt
    if answer.closes or not material.event.reply_allowed:
        return None
    return answer.doubt or EscalationReason.LOW_CONFIDENCE


def _sensitive(material: Material, net: SafetyNet) -> SensitiveMatter | None:
    """Return the matter that must go to a human, or None; None also if no reply is allowed."""
    if not material.event.reply_allowed:
        return None
    return net.matter(material.event.words, material.sensitive_words)


def _for_people(
    material: Material, situation: Situation, matter: SensitiveMatter | None
) -> ThinkingResult:
    """Return a result for people to handle. `matter`: None for a message of files without words."""
    reason = EscalationReason.POLICY_RESTRICTION if matter else EscalationReason.MISSING_KNOWLEDGE
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=0,
        language=spoken_language(material.event.words),
        model=SETTLED_BY,
        doubt=reason,
    )
    judgement = judge(situation, Category.OTHER, ())
    return ThinkingResult(
        answer=answer,
        judgement=judgement,
        findings=(),
        hold=judgement.doubt or reason,
        text="",
        doubt=answer.doubt,
        thread=material.thread.without_question,
        sensitive=matter,
    )


def _unanswered(material: Material, situation: Situation) -> ThinkingResult:
    """Return the result, with an empty plan, for a message that gets no reply, such as an
    auto-reply or the staff's own. No brain is called."""
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=SURE,
        language=spoken_language(material.event.words),
        model=SETTLED_BY,
    )
    judgement = judge(situation, Category.OTHER, ())
    return _result(material, Settled(answer, judgement), (), None, situation.now)


async def _situation(material: Material, now: datetime) -> Situation:
    return Situation(
        event=material.event,
        rulebook=material.rulebook,
        connections=material.connections,
        order=material.order,
        spent=material.spent,
        thread=material.thread,
        unsafe=await commands(material.event),
        now=now,
    )


async def _finding(passage: Passage) -> Finding:
    left_out = await is_unsafe(f"{passage.title}\n{passage.body}")
    return Finding(id=passage.id, title=passage.title, rank=passage.rank, left_out=left_out)


async def _readable(order: Order | None) -> Order | None:
    """Return the order, without its note if the note contains a prompt injection."""
    if order is None or not await is_unsafe(order.note):
        return order
    return order.model_copy(update={"note": ""})
